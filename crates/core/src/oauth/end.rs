//! Ends an authorization without success.

use super::revoke::{revocation_of, work_off_outbox};
use crate::{
    Result,
    context::Context,
    domain::{Authorization, AuthorizationState, authorization::ended, credential::shredded},
    state::AccountState,
    store::{Batch, Commit, Versioned},
};

/// Ends an authorization without success: its quarantined credential is shredded, and revoked at the product where
/// that harms no other credential of the account. An authorization that has moved on meanwhile stays as it is.
pub(crate) async fn end(
    context: &Context,
    authorization: Versioned<Authorization>,
    state: AuthorizationState,
    reason: &str,
) -> Result<Commit> {
    let Versioned { row, version, .. } = authorization;
    let mut batch = Batch::new().update(ended(&row, state, reason), version);
    if row.quarantine.is_some()
        && let Some(account) = context.store.account(row.account_id).await?
    {
        for credential in context.store.credentials(row.account_id).await? {
            if credential.row.held_by == Some(row.id) {
                if let Some(entry) = revocation_of(context, &account.row, &credential.row).await {
                    batch = batch.insert(entry);
                }
                batch = batch.update(shredded(&credential.row), credential.version);
            }
        }
        if account.row.state == AccountState::PendingVerification {
            let mut changed = account.row.clone();
            changed.state = AccountState::PendingAuthorization;
            changed.updated_at = context.now();
            let event = context.account_event("account.verification_failed", &changed);
            batch = batch.update(changed, account.version).insert(event);
        }
    }
    let event = context.new_event(
        if state == AuthorizationState::Denied { "authorization.denied" } else { "authorization.failed" },
        Some(row.account_id),
        serde_json::json!({ "authorization_id": row.id, "identifier": row.identifier, "reason": reason }),
    );
    let outcome = context.store.commit(batch.insert(event)).await?;
    work_off_outbox(context);
    Ok(outcome)
}
