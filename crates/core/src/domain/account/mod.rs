//! An account: one user of one connection, and its state.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

pub(crate) use crate::resource::account::AccountRow as Account;

use super::{
    Connection, NewAudit, NewEvent, PendingCredential,
    refresh::{Keep, RefreshFailure, RefreshState, Refreshed},
};
use crate::{
    Error, ErrorKind, Result,
    digest::Digest,
    identifier::{AccountId, ConnectionId, ConnectionName, Identifier},
    state::{AccountHealth, AccountReason, AccountState},
};

/// A user at a product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Subject {
    /// The product's stable ID.
    pub(crate) id: String,
    /// A name that people recognize, such as an email address.
    pub(crate) display: Option<String>,
}

/// Data that an import sets in an account.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Imported {
    /// Its credential, with a generation higher than all previous ones.
    pub(crate) credential: PendingCredential,
    /// Whether it stays suspended until the application resumes it.
    pub(crate) suspended: bool,
    /// Digest of the imported line.
    pub(crate) line: Digest,
}

/// An account that has never been authorized.
pub(crate) fn new_account(
    id: AccountId,
    connection: ConnectionId,
    identifier: Identifier,
    now: Timestamp,
) -> Account {
    Account {
        id,
        connection_id: connection,
        identifier,
        state: AccountState::PendingAuthorization,
        suspended_from: None,
        reason: None,
        health: AccountHealth::Ok,
        granted_scopes: Vec::new(),
        missing_scopes: Vec::new(),
        subject: None,
        generation: 0,
        last_generation: 0,
        revoked_generation: 0,
        client_epoch: 0,
        disconnections: 0,
        token_expires_at: None,
        lease: None,
        refresh_failures: 0,
        refresh: RefreshState::default(),
        imported: None,
        created_at: now,
        updated_at: now,
        extra: Default::default(),
    }
}

/// A trigger of a transition.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trigger<'a> {
    /// An authorization link was created.
    LinkMade,
    /// Tokens of a new authorization are stored but not confirmed. The application may need to confirm them.
    CredentialPending { by_application: bool },
    /// The authorization that it waited for has ended without success.
    VerificationFailed,
    /// A pending credential is confirmed.
    Confirmed(&'a PendingCredential),
    /// An import sets its tokens.
    Imported(&'a Imported),
    /// A refresh got new tokens.
    Refreshed(&'a Refreshed),
    /// Newer tokens than the current ones were found in the store.
    CredentialAdopted {
        generation: u64,
        token_expires_at: Option<Timestamp>,
        sent_at: Option<Timestamp>,
    },
    /// A refresh temporarily failed.
    RefreshFailed(&'a RefreshFailure<'a>),
    /// A refresh gives its lease back without using it.
    LeaseReleased,
    /// The credential doesn't work any more. The user needs to authorize again.
    CredentialDied(AccountReason),
    /// The connection has a different client or host, which the tokens don't belong to.
    ClientChanged,
    /// The application suspends it.
    Suspended,
    /// The application resumes it.
    Resumed,
    /// The application disconnects it, optionally with revocation at the product.
    Disconnected { revoke: bool },
}

/// The changed account, and the name of its event if others can see the change. `None` if nothing changes.
pub(crate) type Transition = Result<Option<(Account, Option<&'static str>)>>;

impl Account {
    /// The health that is shown. The tokens of an account that isn't active can't be used.
    pub(crate) fn health_as_shown(&self) -> AccountHealth {
        match self.state {
            AccountState::Active => self.health,
            _ => AccountHealth::Unusable,
        }
    }

    /// All transitions of an account.
    pub(crate) fn on(&self, trigger: Trigger<'_>, now: Timestamp) -> Transition {
        let (mut next, event) = match (trigger, self.state) {
            (Trigger::LinkMade, AccountState::Disconnected) => (
                self.in_state(AccountState::PendingAuthorization),
                Some("account.created"),
            ),
            (
                Trigger::CredentialPending { .. } | Trigger::Confirmed(_),
                AccountState::Disconnected,
            ) => {
                return Err(Error::new(
                    ErrorKind::AuthorizationExpired,
                    "the account was disconnected in the meantime; ask for a new link",
                ));
            }
            (Trigger::Suspended, AccountState::Disconnected) => {
                return Err(Error::new(
                    ErrorKind::InvalidTransition,
                    "a disconnected account can't be suspended",
                ));
            }
            (Trigger::LinkMade, _)
            | (
                Trigger::Refreshed(_)
                | Trigger::CredentialAdopted { .. }
                | Trigger::RefreshFailed(_)
                | Trigger::LeaseReleased
                | Trigger::CredentialDied(_),
                AccountState::Disconnected,
            )
            | (Trigger::Suspended, AccountState::Suspended) => return Ok(None),
            (Trigger::CredentialPending { by_application }, _) => self.pending(by_application),
            (Trigger::VerificationFailed, AccountState::PendingVerification) => (
                self.in_state(AccountState::PendingAuthorization),
                Some("account.verification_failed"),
            ),
            (Trigger::VerificationFailed, _) => return Ok(None),
            (Trigger::Confirmed(pending), _) => self.activated(pending),
            (Trigger::Imported(imported), _) => {
                (self.with_imported(imported), Some("account.imported"))
            }
            (Trigger::Refreshed(refreshed), _) => match self.keeps(refreshed) {
                Keep::Current | Keep::Aside => self.with_refreshed(refreshed),
                Keep::Already | Keep::Not => return Ok(None),
            },
            (
                Trigger::CredentialAdopted {
                    generation,
                    token_expires_at,
                    sent_at,
                },
                _,
            ) => (
                Self {
                    generation,
                    token_expires_at,
                    lease: None,
                    refresh: RefreshState {
                        token_sent_at: sent_at,
                        refresh_refused_at: None,
                        ..self.refresh.clone()
                    },
                    ..self.clone()
                },
                Some("account.credential_adopted"),
            ),
            (Trigger::RefreshFailed(failure), _) => self.with_failed(failure),
            (Trigger::LeaseReleased, _) => (
                Self {
                    lease: None,
                    ..self.clone()
                },
                None,
            ),
            (Trigger::CredentialDied(reason), _) => (
                Self {
                    lease: None,
                    ..self.dead(reason)
                },
                Some("account.needs_reauthorization"),
            ),
            (Trigger::ClientChanged, AccountState::Active) => (
                self.dead(AccountReason::ClientChanged),
                Some("account.needs_reauthorization"),
            ),
            (Trigger::ClientChanged, AccountState::Suspended)
                if self.suspended_from == Some(AccountState::Active) =>
            {
                (
                    self.dead(AccountReason::ClientChanged),
                    Some("account.needs_reauthorization"),
                )
            }
            (Trigger::ClientChanged, _) => return Ok(None),
            (Trigger::Suspended, from) => (
                Self {
                    suspended_from: Some(from),
                    ..self.in_state(AccountState::Suspended)
                },
                Some("account.suspended"),
            ),
            (Trigger::Resumed, AccountState::Suspended) => (
                Self {
                    suspended_from: None,
                    ..self.in_state(
                        self.suspended_from
                            .unwrap_or(AccountState::PendingAuthorization),
                    )
                },
                Some("account.resumed"),
            ),
            (Trigger::Resumed, _) => {
                return Err(Error::new(
                    ErrorKind::InvalidTransition,
                    "only a suspended account can be resumed",
                ));
            }
            (Trigger::Disconnected { revoke }, from) => {
                let next = self.disconnected();
                let revoked_generation = match revoke {
                    true => self.last_generation,
                    false => self.revoked_generation,
                };
                (
                    Self {
                        revoked_generation,
                        ..next
                    },
                    // A second disconnection can still request revocation, but sends no event.
                    (from != AccountState::Disconnected).then_some("account.disconnected"),
                )
            }
        };
        next.updated_at = now;
        Ok(Some((next, event)))
    }

    /// Whether its credential was issued to the connection's current client and host.
    pub(crate) fn is_of_client(&self, connection: &Connection) -> bool {
        self.client_epoch == connection.client_epoch
    }

    /// The account as its changed connection requires, even if its row isn't updated yet.
    pub(crate) fn through(self, connection: &Connection) -> Self {
        if self.state == AccountState::Active && !self.is_of_client(connection) {
            self.dead(AccountReason::ClientChanged)
        } else {
            self
        }
    }

    /// Whether it has a working credential, now or after a suspension.
    pub(crate) fn is_connected(&self) -> bool {
        let state = match self.state {
            AccountState::Suspended => self.suspended_from,
            state => Some(state),
        };
        state == Some(AccountState::Active)
    }

    fn in_state(&self, state: AccountState) -> Self {
        Self {
            state,
            ..self.clone()
        }
    }

    fn pending(&self, by_application: bool) -> (Self, Option<&'static str>) {
        let waits = by_application && self.state == AccountState::PendingAuthorization;
        let state = if waits {
            AccountState::PendingVerification
        } else {
            self.state
        };
        let next = Self {
            last_generation: self.last_generation + 1,
            ..self.in_state(state)
        };
        (next, waits.then_some("account.verification_required"))
    }

    fn activated(&self, pending: &PendingCredential) -> (Self, Option<&'static str>) {
        let event = match self.state {
            AccountState::PendingAuthorization | AccountState::PendingVerification => {
                "account.activated"
            }
            _ => "account.reauthorized",
        };
        let suspended = self.state == AccountState::Suspended;
        let state = if suspended {
            AccountState::Suspended
        } else {
            AccountState::Active
        };
        let next = Self {
            suspended_from: suspended.then_some(AccountState::Active),
            reason: None,
            health: AccountHealth::Ok,
            granted_scopes: pending.granted_scopes.clone(),
            missing_scopes: pending.missing_scopes.clone(),
            subject: pending.subject.clone().or_else(|| self.subject.clone()),
            generation: pending.generation,
            client_epoch: pending.client_epoch,
            token_expires_at: pending.token_expires_at,
            lease: None,
            refresh_failures: 0,
            refresh: RefreshState {
                grant: pending.generation,
                rotates: self.refresh.rotates,
                reauthorize_by: pending.reauthorize_by,
                ..RefreshState::default()
            },
            ..self.in_state(state)
        };
        (next, Some(event))
    }

    fn with_imported(&self, imported: &Imported) -> Self {
        let (next, _) = self.activated(&imported.credential);
        let suspended = imported.suspended || self.state == AccountState::Suspended;
        Self {
            state: match suspended {
                true => AccountState::Suspended,
                false => AccountState::Active,
            },
            suspended_from: suspended.then_some(AccountState::Active),
            last_generation: imported.credential.generation,
            imported: Some(imported.line.clone()),
            ..next
        }
    }

    fn dead(&self, reason: AccountReason) -> Self {
        let mut next = self.clone();
        match self.state {
            AccountState::Suspended => {
                next.suspended_from = Some(AccountState::NeedsReauthorization);
            }
            _ => next.state = AccountState::NeedsReauthorization,
        }
        next.reason = Some(reason);
        next
    }

    fn disconnected(&self) -> Self {
        Self {
            suspended_from: None,
            reason: None,
            health: AccountHealth::Ok,
            granted_scopes: Vec::new(),
            missing_scopes: Vec::new(),
            subject: None,
            generation: 0,
            disconnections: self.disconnections + 1,
            token_expires_at: None,
            lease: None,
            refresh: RefreshState::default(),
            imported: None,
            ..self.in_state(AccountState::Disconnected)
        }
    }

    /// Rejects a different account of the product than last time, if that isn't allowed.
    pub(crate) fn same_subject(
        &self,
        pending: &PendingCredential,
        allow_account_switch: bool,
    ) -> Result<()> {
        match (&self.subject, &pending.subject) {
            (Some(before), Some(now)) if before.id != now.id && !allow_account_switch => {
                Err(Error::new(
                    ErrorKind::ProductAccountMismatch,
                    "you signed in to the product with a different account than last time; the connection wasn't changed",
                ))
            }
            _ => Ok(()),
        }
    }

    /// An audit entry about it. Never names the user.
    pub(crate) fn audit(&self, action: &'static str, connection: &ConnectionName) -> NewAudit {
        NewAudit::new(action, "account", self.id).fact("connection_name", connection.as_str())
    }

    /// An event about it.
    pub(crate) fn event(&self, name: &'static str) -> NewEvent {
        let data = json!({
            "connection_id": self.connection_id,
            "identifier": self.identifier,
            "status": self.state,
            "reason": self.reason,
            "missing_scopes": self.missing_scopes,
        });
        NewEvent::new(name, data).of_account(self.id, self.connection_id)
    }

    /// An event about a refresh that doesn't change anything visible.
    pub(crate) fn refresh_event(&self, name: &'static str) -> NewEvent {
        let data = json!({ "identifier": self.identifier });
        NewEvent::new(name, data).of_account(self.id, self.connection_id)
    }
}

#[cfg(test)]
mod tests;
