//! Authorizations: one attempt each to connect an account. The steps are pure functions of rows.

use jiff::{SignedDuration, Timestamp};

use crate::{
    Error, ErrorKind, Result,
    account::shredded,
    environment::Environment,
    identifier::AuthorizationId,
    resource::AccountState,
    store::{AuthorizationRow, AuthorizationState, Batch, Commit, Versioned},
};

/// Time from the browser's leaving to its return.
const REDIRECTED: SignedDuration = SignedDuration::from_mins(15);
/// Time for the application to confirm who came back.
const VERIFYING: SignedDuration = SignedDuration::from_mins(10);

/// Whether a link may still be opened, as an error where not.
pub(crate) fn openable(row: &AuthorizationRow, now: Timestamp) -> Result<()> {
    use AuthorizationState as State;
    match row.state {
        State::Created | State::Opened | State::Redirected if row.expires_at <= now => Err(expired()),
        State::Created | State::Opened | State::Redirected => Ok(()),
        State::Expired => Err(expired()),
        State::Returned | State::Exchanged | State::Verifying | State::Completed => Err(consumed()),
        State::Denied | State::Failed | State::Superseded => {
            Err(Error::new(ErrorKind::AuthorizationConsumed, "this link has ended without success; ask for a new one"))
        }
    }
}

/// The browser is bound and sent to the product.
pub(crate) fn redirected(row: &AuthorizationRow, now: Timestamp) -> AuthorizationRow {
    AuthorizationRow { state: AuthorizationState::Redirected, expires_at: later(now, REDIRECTED), ..row.clone() }
}

/// Whether a callback may be taken, as an error where not.
pub(crate) fn returnable(row: &AuthorizationRow, now: Timestamp) -> Result<()> {
    match row.state {
        AuthorizationState::Redirected if row.expires_at <= now => Err(expired()),
        AuthorizationState::Redirected => Ok(()),
        AuthorizationState::Expired => Err(expired()),
        _ => Err(Error::new(ErrorKind::AuthorizationConsumed, "this return from the product was handled already")),
    }
}

/// The state is spent: no other callback will be taken.
pub(crate) fn returned(row: &AuthorizationRow) -> AuthorizationRow {
    AuthorizationRow { state: AuthorizationState::Returned, ..row.clone() }
}

/// The tokens are in quarantine until the application confirms.
pub(crate) fn verifying(row: &AuthorizationRow, now: Timestamp) -> AuthorizationRow {
    AuthorizationRow {
        state: AuthorizationState::Verifying,
        verifier: None,
        expires_at: later(now, VERIFYING),
        ..row.clone()
    }
}

/// The account is active.
pub(crate) fn completed(row: &AuthorizationRow) -> AuthorizationRow {
    AuthorizationRow { state: AuthorizationState::Completed, verifier: None, quarantine: None, ..row.clone() }
}

/// It has ended without success.
pub(crate) fn ended(row: &AuthorizationRow, state: AuthorizationState, reason: &str) -> AuthorizationRow {
    AuthorizationRow { state, reason: Some(reason.to_owned()), verifier: None, quarantine: None, ..row.clone() }
}

pub(crate) fn expired() -> Error {
    Error::new(ErrorKind::AuthorizationExpired, "the link is past its time; ask for a new one")
}

fn consumed() -> Error {
    Error::new(ErrorKind::AuthorizationConsumed, "this link was used already; ask for a new one")
}

fn later(now: Timestamp, by: SignedDuration) -> Timestamp {
    now.checked_add(by).unwrap_or(Timestamp::MAX)
}

impl Environment {
    pub(crate) async fn authorization_row(&self, id: AuthorizationId) -> Result<Versioned<AuthorizationRow>> {
        let row = self.store().authorization(id).await?;
        row.ok_or_else(|| Error::new(ErrorKind::AuthorizationNotFound, "there is no authorization with this id"))
    }

    /// Ends an authorization without success: its quarantined credential is shredded, and revoked at the product.
    /// An authorization that has moved on meanwhile stays as it is.
    pub(crate) async fn end_authorization(
        &self,
        authorization: Versioned<AuthorizationRow>,
        state: AuthorizationState,
        reason: &str,
    ) -> Result<Commit> {
        let Versioned { row, version, .. } = authorization;
        let mut batch = Batch::new().update(ended(&row, state, reason), version);
        if let Some(quarantine) = &row.quarantine
            && let Some(credential) = self.store().credential(row.account_id, quarantine.generation).await?
        {
            if let Some(connection) = self.store().connection(row.connection_id).await?
                && let Some(entry) = self.revocation(&connection.row, &credential.row)?
            {
                batch = batch.insert(entry);
            }
            batch = batch.update(shredded(&credential.row), credential.version);
            if let Some(account) = self.store().account(row.account_id).await?
                && account.row.state == AccountState::PendingVerification
            {
                let mut changed = account.row.clone();
                changed.state = AccountState::PendingAuthorization;
                changed.updated_at = self.now();
                let event = self.account_event("account.verification_failed", &changed);
                batch = batch.update(changed, account.version).insert(event);
            }
        }
        let event = self.new_event(
            if state == AuthorizationState::Denied { "authorization.denied" } else { "authorization.failed" },
            Some(row.account_id),
            serde_json::json!({ "authorization_id": row.id, "identifier": row.identifier, "reason": reason }),
        );
        let outcome = self.store().commit(batch.insert(event)).await?;
        self.work_off_outbox();
        Ok(outcome)
    }
}
