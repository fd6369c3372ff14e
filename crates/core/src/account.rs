//! Accounts: who is connected, and how that changes. The transitions are pure functions of rows.

use std::collections::{BTreeMap, btree_map::Entry};

use jiff::Timestamp;
use serde_json::json;

use crate::{
    Error, ErrorKind, Result,
    environment::Environment,
    identifier::{AccountId, ConnectionId, Identifier},
    resource::{Account, AccountHealth, AccountReason, AccountState, Page},
    store::{
        AccountRow, Batch, Commit, ConnectionRow, CredentialRow, PendingCredential, Versioned,
    },
};

/// The changed account and the event's name; nothing where it stays as it is.
type Transition = Result<Option<(AccountRow, &'static str)>>;

impl Environment {
    /// Accounts by id: of one connection, or all.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownConnection`], [`ErrorKind::InvalidRequest`] for a page token of another list.
    pub async fn accounts(
        &self,
        connection_name: Option<&str>,
        page_token: Option<&str>,
        page_size: u32,
    ) -> Result<Page<Account>> {
        let connection = match connection_name {
            Some(name) => Some(self.connection_row(name).await?.row.id),
            None => None,
        };
        let after = page_token.map(str::parse::<AccountId>).transpose()?;
        let limit = page_size.clamp(1, 100);
        let rows = self.store().accounts(connection, after, limit).await?;
        let next_page_token = (rows.len() == limit as usize)
            .then(|| rows.last().map(|row| row.row.id.to_string()))
            .flatten();
        let mut items = Vec::with_capacity(rows.len());
        let mut connections: BTreeMap<ConnectionId, Option<ConnectionRow>> = BTreeMap::new();
        for row in rows {
            let id = row.row.connection_id;
            let connection = match connections.entry(id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    unknown.insert(self.store().connection(id).await?.map(|found| found.row))
                }
            };
            // The connection may have been deleted since the page was read.
            if let Some(connection) = connection {
                items.push(account_resource(connection, row.row));
            }
        }
        Ok(Page {
            items,
            next_page_token,
        })
    }

    /// The account of a user.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownConnection`], [`ErrorKind::AccountNotFound`].
    pub async fn account(&self, connection_name: &str, identifier: &str) -> Result<Account> {
        let (connection, account) = self.account_rows(connection_name, identifier).await?;
        Ok(account_resource(&connection.row, account.row))
    }

    /// Pauses an account; its credential is kept.
    ///
    /// # Errors
    /// [`ErrorKind::AccountNotFound`], [`ErrorKind::InvalidTransition`] for a disconnected account.
    pub async fn suspend_account(
        &self,
        connection_name: &str,
        identifier: &str,
    ) -> Result<Account> {
        self.change(connection_name, identifier, suspend).await
    }

    /// Ends the pause of an account.
    ///
    /// # Errors
    /// [`ErrorKind::AccountNotFound`], [`ErrorKind::InvalidTransition`] where it is not suspended.
    pub async fn resume_account(&self, connection_name: &str, identifier: &str) -> Result<Account> {
        self.change(connection_name, identifier, resume).await
    }

    /// Refreshes an account's credential now.
    ///
    /// # Errors
    /// As a call through the account.
    pub async fn refresh_account(
        &self,
        connection_name: &str,
        identifier: &str,
    ) -> Result<Account> {
        let snapshot = self.reload(connection_name, identifier).await?;
        snapshot.usable()?;
        let renewed = self.renew(&snapshot, crate::oauth::Renewal::Asked).await?;
        Ok(account_resource(
            &renewed.connection,
            renewed.account.clone(),
        ))
    }

    /// Ends an account: its credentials are shredded at once. With `revoke_at_product` the grant is then ended at the
    /// product too; a product that does not answer is asked again later.
    ///
    /// # Errors
    /// [`ErrorKind::AccountNotFound`].
    pub async fn disconnect_account(
        &self,
        connection_name: &str,
        identifier: &str,
        revoke_at_product: bool,
    ) -> Result<()> {
        let (connection, account) = self.account_rows(connection_name, identifier).await?;
        let environment = self.clone();
        self.detached(async move {
            environment
                .disconnect(connection.row, account.row.id, revoke_at_product)
                .await
        })
        .await
    }

    async fn disconnect(
        &self,
        connection: ConnectionRow,
        id: AccountId,
        revoke_at_product: bool,
    ) -> Result<()> {
        loop {
            let Versioned { row, version, .. } =
                self.store().account(id).await?.ok_or_else(gone)?;
            let mut batch = Batch::new();
            for credential in self.store().credentials(row.id).await? {
                if revoke_at_product
                    && let Some(entry) = self.revocation(&row, &credential.row).await
                {
                    batch = batch.insert(entry);
                }
                batch = batch.update(shredded(&credential.row), credential.version);
            }
            let (account, event) = disconnect(&row, self.now());
            let event = self.account_event(event, &account);
            let outcome = self
                .store()
                .commit(batch.update(account, version).insert(event))
                .await;
            self.snapshots()
                .forget(connection.name.as_str(), row.identifier.as_str());
            if outcome? == Commit::Conflict {
                continue;
            }
            if revoke_at_product {
                self.work_off_outbox();
            }
            return Ok(());
        }
    }

    /// A transition that the application asked for. It goes on where the caller hangs up, so that memory and store agree.
    async fn change(
        &self,
        connection_name: &str,
        identifier: &str,
        transition: fn(&AccountRow) -> Transition,
    ) -> Result<Account> {
        let (connection, account) = self.account_rows(connection_name, identifier).await?;
        let environment = self.clone();
        self.detached(async move {
            let row = environment
                .change_account(&connection.row, account.row.id, transition)
                .await?;
            Ok(account_resource(&connection.row, row))
        })
        .await
    }

    pub(crate) async fn account_rows(
        &self,
        connection_name: &str,
        identifier: &str,
    ) -> Result<(Versioned<ConnectionRow>, Versioned<AccountRow>)> {
        let connection = self.connection_row(connection_name).await?;
        let identifier = Identifier::new(identifier)?;
        let account = self.store().account_of(connection.row.id, &identifier).await?.ok_or_else(|| {
            Error::new(ErrorKind::AccountNotFound, format!("{connection_name} has no account of this user; an authorization link makes one"))
                .with_context("identifier", identifier.as_str())
        })?;
        Ok((connection, account))
    }

    /// Applies a transition with its event, anew on every conflict. `None` leaves the account as it is.
    pub(crate) async fn change_account(
        &self,
        connection: &ConnectionRow,
        id: AccountId,
        transition: impl Fn(&AccountRow) -> Transition,
    ) -> Result<AccountRow> {
        loop {
            let Versioned { row, version, .. } =
                self.store().account(id).await?.ok_or_else(gone)?;
            let Some((mut changed, event)) = transition(&row)? else {
                return Ok(row);
            };
            changed.updated_at = self.now();
            let event = self.account_event(event, &changed);
            let outcome = self
                .store()
                .commit(Batch::new().update(changed.clone(), version).insert(event))
                .await;
            self.snapshots()
                .forget(connection.name.as_str(), changed.identifier.as_str());
            if outcome? == Commit::Committed {
                return Ok(changed);
            }
        }
    }

    pub(crate) fn account_event(&self, name: &str, account: &AccountRow) -> crate::store::EventRow {
        let data = json!({
            "connection_id": account.connection_id,
            "identifier": account.identifier,
            "state": account.state,
            "reason": account.reason,
            "missing_scopes": account.missing_scopes,
        });
        self.new_event(name, Some(account.id), data)
    }
}

fn gone() -> Error {
    Error::new(
        ErrorKind::AccountNotFound,
        "the account was deleted meanwhile",
    )
}

/// An account that has never been authorized.
pub(crate) fn new_account(
    id: AccountId,
    connection: ConnectionId,
    identifier: Identifier,
    now: Timestamp,
) -> AccountRow {
    AccountRow {
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
    account: &AccountRow,
    quarantine: &PendingCredential,
    now: Timestamp,
) -> (AccountRow, &'static str) {
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
    account: &AccountRow,
    reason: AccountReason,
    now: Timestamp,
) -> AccountRow {
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

fn suspend(account: &AccountRow) -> Transition {
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

fn resume(account: &AccountRow) -> Transition {
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

fn disconnect(account: &AccountRow, now: Timestamp) -> (AccountRow, &'static str) {
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

/// A credential without its ciphertext.
pub(crate) fn shredded(credential: &CredentialRow) -> CredentialRow {
    CredentialRow {
        sealed: None,
        ..credential.clone()
    }
}

pub(crate) fn account_resource(connection: &ConnectionRow, row: AccountRow) -> Account {
    Account {
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
mod tests;
