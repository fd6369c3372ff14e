//! A call that a person needs to approve, until it is made, denied or expired.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Extra, NewAudit, NewEvent};
use crate::{
    Error, ErrorKind, Result,
    caller::Actor,
    digest::Digest,
    identifier::{AccountId, ApprovalId, ConnectionId, ConnectionName, Identifier},
    sealed::Sealed,
    state::ApprovalState,
};

/// An approval of one call with its exact arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Approval {
    /// Primary key.
    pub(crate) id: ApprovalId,
    /// Digest of the caller, the account with its client, the tool or request, and the arguments.
    pub(crate) call: Digest,
    pub(crate) state: ApprovalState,
    /// The caller.
    pub(crate) asked_by: Actor,
    pub(crate) connection_id: ConnectionId,
    pub(crate) connection_name: ConnectionName,
    pub(crate) product: String,
    pub(crate) account_id: AccountId,
    pub(crate) identifier: Identifier,
    /// The tool and its version.
    pub(crate) tool: Option<(String, String)>,
    /// Method and path of a raw request, without the query.
    pub(crate) request: Option<(String, String)>,
    /// The exact arguments, as JSON.
    pub(crate) arguments: Sealed,
    /// The policy that requires the approval.
    pub(crate) policy: String,
    /// The policy's rule.
    pub(crate) rule: String,
    pub(crate) created_at: Timestamp,
    /// When it expires, whether it was used or not.
    pub(crate) expires_at: Timestamp,
    /// The person who approved or denied it.
    #[serde(default)]
    pub(crate) decided_by: Option<Actor>,
    #[serde(default)]
    pub(crate) decided_at: Option<Timestamp>,
    /// The person's reason.
    #[serde(default)]
    pub(crate) reason: Option<String>,
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

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
            (_, state) => {
                let state = if over && self.is_live() {
                    Expired
                } else {
                    state
                };
                return Err(Error::new(
                    ErrorKind::InvalidTransition,
                    format!("the approval is {}", state.name()),
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
#[path = "approval_tests.rs"]
pub(crate) mod tests;
