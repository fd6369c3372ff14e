//! Ends an authorization without success.

use super::revoke::{revocation_of_unconfirmed, work_off_outbox};
use crate::{
    Result,
    context::{Context, change::Change},
    domain::{
        Account, Authorization, Credential, OutboxEntry, account,
        authorization::{End, Trigger},
    },
    identifier::AuthorizationId,
    store::Versioned,
};

/// An authorization with what waits for it.
struct Loaded {
    authorization: Versioned<Authorization>,
    account: Option<Versioned<Account>>,
    /// Its pending credentials, each with its revocation.
    pending: Vec<(Versioned<Credential>, Option<OutboxEntry>)>,
}

/// Ends an authorization without success, as long as `holds` for it: its pending credential is shredded, and revoked at
/// the product where that harms no other credential of the account. Returns whether it ended: one that has moved on
/// meanwhile stays as it is.
pub(crate) async fn end(
    context: &Context,
    id: AuthorizationId,
    holds: impl Fn(&Authorization) -> bool,
    end: End,
    reason: &str,
) -> Result<bool> {
    let ended = context
        .change(
            || load(context, id),
            |loaded| {
                let Versioned { row, version, .. } = loaded.authorization;
                let ended = Trigger::Ended(end, reason.to_owned());
                let Some(changed) = holds(&row)
                    .then(|| row.on(ended, context.now()))
                    .transpose()?
                    .flatten()
                else {
                    return Ok((Change::none(), false));
                };
                let mut change = Change::none().authorization(changed, version);
                for (credential, revocation) in loaded.pending {
                    if let Some(entry) = revocation {
                        change = change.insert(entry);
                    }
                    change = change.update(credential.row.shredded(), credential.version);
                }
                if let Some(account) = loaded.account
                    && let Some(changed) = account
                        .row
                        .on(account::Trigger::VerificationFailed, context.now())?
                {
                    change = change.account(changed, account.version);
                }
                Ok((change, true))
            },
        )
        .await?;
    work_off_outbox(context);
    Ok(ended)
}

async fn load(context: &Context, id: AuthorizationId) -> Result<Loaded> {
    let authorization = context.authorization_row(id).await?;
    let mut loaded = Loaded {
        authorization,
        account: None,
        pending: Vec::new(),
    };
    if loaded.authorization.row.pending.is_none() {
        return Ok(loaded);
    }
    let account_id = loaded.authorization.row.account_id;
    loaded.account = context.store.account(account_id).await?;
    if let Some(account) = &loaded.account {
        for credential in context.store.credentials(account_id).await? {
            if credential.row.pending_for == Some(id) {
                let revocation =
                    revocation_of_unconfirmed(context, &account.row, &credential.row).await;
                loaded.pending.push((credential, revocation));
            }
        }
    }
    Ok(loaded)
}
