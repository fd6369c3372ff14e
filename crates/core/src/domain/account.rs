//! An account: one user of one connection, and how far they are connected.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Connection, Lease, PendingCredential};
use crate::{
    Error, ErrorKind, Result,
    identifier::{AccountId, ConnectionId, Identifier},
    resource,
    state::{AccountHealth, AccountReason, AccountState},
};

/// An account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Account {
    /// Id; primary key.
    pub(crate) id: AccountId,
    /// Connection; unique together with the identifier.
    pub(crate) connection_id: ConnectionId,
    /// The application's id of the user.
    pub(crate) identifier: Identifier,
    /// State.
    pub(crate) state: AccountState,
    /// State to go back to when a suspension ends.
    pub(crate) suspended_from: Option<AccountState>,
    /// Why it needs a new authorization.
    pub(crate) reason: Option<AccountReason>,
    /// Whether the last refresh went well.
    pub(crate) health: AccountHealth,
    /// Scopes that the user granted.
    pub(crate) granted_scopes: Vec<String>,
    /// Scopes asked for and not granted.
    pub(crate) missing_scopes: Vec<String>,
    /// Who the user is at the product.
    pub(crate) subject: Option<Subject>,
    /// Generation of the current credential; 0 for none.
    pub(crate) generation: u64,
    /// Highest generation ever given out.
    pub(crate) last_generation: u64,
    /// When the current access token ends, if it does.
    pub(crate) token_expires_at: Option<Timestamp>,
    /// Who is refreshing the credential now.
    pub(crate) lease: Option<Lease>,
    /// Temporary failures of refreshing in a row.
    pub(crate) refresh_failures: u32,
    /// When it was created.
    pub(crate) created_at: Timestamp,
    /// When it was last changed.
    pub(crate) updated_at: Timestamp,
}

/// Who a user is at a product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Subject {
    /// The product's stable id.
    pub(crate) id: String,
    /// What a person recognizes, such as an address.
    pub(crate) display: Option<String>,
}

/// The changed account and the event's name; nothing where it stays as it is.
pub(crate) type Transition = Result<Option<(Account, &'static str)>>;

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
        token_expires_at: None,
        lease: None,
        refresh_failures: 0,
        created_at: now,
        updated_at: now,
    }
}

/// A quarantined credential becomes the current one.
pub(crate) fn activate(
    account: &Account,
    quarantine: &PendingCredential,
    now: Timestamp,
) -> (Account, &'static str) {
    let event = match account.state {
        AccountState::PendingAuthorization | AccountState::PendingVerification => {
            "account.activated"
        }
        _ => "account.reauthorized",
    };
    let suspended = account.state == AccountState::Suspended;
    let mut row = account.clone();
    row.state = if suspended {
        AccountState::Suspended
    } else {
        AccountState::Active
    };
    row.suspended_from = suspended.then_some(AccountState::Active);
    row.reason = None;
    row.health = AccountHealth::Ok;
    row.granted_scopes.clone_from(&quarantine.granted_scopes);
    row.missing_scopes.clone_from(&quarantine.missing_scopes);
    if quarantine.subject.is_some() {
        row.subject.clone_from(&quarantine.subject);
    }
    row.generation = quarantine.generation;
    row.token_expires_at = quarantine.token_expires_at;
    row.lease = None;
    row.refresh_failures = 0;
    row.updated_at = now;
    (row, event)
}

/// A credential is dead: only the user can mend it.
pub(crate) fn needs_reauthorization(
    account: &Account,
    reason: AccountReason,
    now: Timestamp,
) -> Account {
    let mut row = account.clone();
    match row.state {
        AccountState::Suspended => row.suspended_from = Some(AccountState::NeedsReauthorization),
        _ => row.state = AccountState::NeedsReauthorization,
    }
    row.reason = Some(reason);
    row.lease = None;
    row.updated_at = now;
    row
}

pub(crate) fn suspend(account: &Account) -> Transition {
    match account.state {
        AccountState::Suspended => Ok(None),
        AccountState::Disconnected => Err(Error::new(
            ErrorKind::InvalidTransition,
            "a disconnected account cannot be suspended",
        )),
        from => {
            let mut row = account.clone();
            row.suspended_from = Some(from);
            row.state = AccountState::Suspended;
            Ok(Some((row, "account.suspended")))
        }
    }
}

pub(crate) fn resume(account: &Account) -> Transition {
    if account.state != AccountState::Suspended {
        return Err(Error::new(
            ErrorKind::InvalidTransition,
            "only a suspended account can be resumed",
        ));
    }
    let mut row = account.clone();
    row.state = row
        .suspended_from
        .take()
        .unwrap_or(AccountState::PendingAuthorization);
    Ok(Some((row, "account.resumed")))
}

pub(crate) fn disconnect(account: &Account, now: Timestamp) -> (Account, &'static str) {
    let mut row = account.clone();
    row.state = AccountState::Disconnected;
    row.suspended_from = None;
    row.reason = None;
    row.health = AccountHealth::Ok;
    row.granted_scopes.clear();
    row.missing_scopes.clear();
    row.subject = None;
    row.generation = 0;
    row.token_expires_at = None;
    row.lease = None;
    row.updated_at = now;
    (row, "account.disconnected")
}

/// The account of a client that is no more.
pub(crate) fn client_changed(account: &Account) -> Option<Account> {
    let mut row = account.clone();
    match account.state {
        AccountState::Active => row.state = AccountState::NeedsReauthorization,
        AccountState::Suspended if account.suspended_from == Some(AccountState::Active) => {
            row.suspended_from = Some(AccountState::NeedsReauthorization);
        }
        _ => return None,
    }
    row.reason = Some(AccountReason::ClientChanged);
    Some(row)
}

pub(crate) fn account_resource(connection: &Connection, row: Account) -> resource::Account {
    resource::Account {
        id: row.id,
        connection_name: connection.name.clone(),
        product: connection.product.clone(),
        identifier: row.identifier,
        state: row.state,
        reason: row.reason,
        health: row.health,
        granted_scopes: row.granted_scopes,
        missing_scopes: row.missing_scopes,
        product_user: row
            .subject
            .map(|subject| subject.display.unwrap_or(subject.id)),
        token_expires_at: row.token_expires_at,
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}

#[cfg(test)]
#[path = "account_tests.rs"]
mod tests;
