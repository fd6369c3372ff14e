//! A call that a person needs to approve, until it is made, denied or expired.

use jiff::Timestamp;
use serde_json::json;

use super::{NewAudit, NewEvent};
pub(crate) use crate::resource::approval::ApprovalRow as Approval;
use crate::{Error, ErrorKind, Result, caller::Actor, state::ApprovalState};

/// A trigger of a transition.
#[derive(Debug, Clone)]
pub(crate) enum Trigger {
    Approved(Actor, Option<String>),
    Denied(Actor, Option<String>),
    /// Its call is about to run.
    Used,
    /// It has expired.
    Expired,
}

impl Approval {
    /// Whether it's pending or approved, so that the same call doesn't need a second approval.
    pub(crate) fn is_live(&self) -> bool {
        matches!(self.state, ApprovalState::Pending | ApprovalState::Approved)
    }

    /// Whether it has expired.
    pub(crate) fn is_over(&self, now: Timestamp) -> bool {
        self.expires_at <= now
    }

    /// Its state. An approval past its expiry counts as expired, even before that is stored.
    pub(crate) fn state_at(&self, now: Timestamp) -> ApprovalState {
        match self.is_live() && self.is_over(now) {
            true => ApprovalState::Expired,
            false => self.state,
        }
    }

    /// The approval after a trigger, with the name of its event.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidTransition`] if its state doesn't allow the trigger or it has expired.
    pub(crate) fn on(&self, trigger: Trigger, now: Timestamp) -> Result<(Self, &'static str)> {
        use ApprovalState::{Approved, Denied, Expired, Pending, Used};
        let over = self.is_over(now);
        let (state, event, decided) = match (trigger, self.state) {
            (Trigger::Approved(by, why), Pending) if !over => {
                (Approved, "approval.approved", Some((by, why)))
            }
            (Trigger::Denied(by, why), Pending | Approved) if !over => {
                (Denied, "approval.denied", Some((by, why)))
            }
            (Trigger::Used, Approved) if !over => (Used, "approval.used", None),
            (Trigger::Expired, Pending | Approved) if over => (Expired, "approval.expired", None),
            _ => {
                return Err(Error::new(
                    ErrorKind::InvalidTransition,
                    format!("the approval is {}", self.state_at(now).name()),
                ));
            }
        };
        let mut after = self.clone();
        after.state = state;
        if let Some((by, why)) = decided {
            (after.decided_by, after.decided_at, after.reason) = (Some(by), Some(now), why);
        }
        Ok((after, event))
    }

    /// An event about it, without the arguments.
    pub(crate) fn event(&self, name: &'static str) -> NewEvent {
        let mut data = json!({
            "approval_id": self.id, "connection_name": self.connection_name, "product": self.product,
            "identifier": self.identifier, "status": self.state, "expires_at": self.expires_at,
        });
        if let Some((tool, _)) = &self.tool {
            data["tool"] = json!(tool);
        }
        if let Some((method, path)) = &self.request {
            data["method"] = json!(method);
            data["path"] = json!(path);
        }
        NewEvent::new(name, data).of_account(self.account_id, self.connection_id)
    }

    /// An audit entry about it.
    pub(crate) fn audit(&self, action: &'static str) -> NewAudit {
        let called = match (&self.tool, &self.request) {
            (Some((tool, _)), _) => tool.clone(),
            // A path can contain a user's ID.
            (_, Some((method, _))) => format!("proxy {method}"),
            _ => String::new(),
        };
        NewAudit::new(action, "approval", self.id)
            .fact("connection_name", self.connection_name.as_str())
            .fact("call", called)
            .fact("policy", self.policy.as_str())
    }
}

#[cfg(test)]
pub(crate) mod tests;
