//! Ends an authorization without success.

use super::revoke::{revocation_of_unconfirmed, work_off_outbox};
use crate::{
    Result,
    context::{
        Context,
        change::{Change, Shredded},
    },
    domain::{
        Account, Authorization, account,
        authorization::{End, Trigger, Why},
    },
    identifier::AuthorizationId,
    store::Versioned,
};

/// Ends an authorization without success, as long as `holds` for it: its pending credential is shredded, and revoked at
/// the product where that ends nothing else. Returns whether it ended: one that has moved on meanwhile stays as it is.
pub(crate) async fn end(
    context: &Context,
    id: AuthorizationId,
    holds: impl Fn(&Authorization) -> bool,
    end: End,
    why: impl Into<Why>,
) -> Result<bool> {
    let why = why.into();
    let ended = context
        .change(
            "authorization.end",
            || load(context, id),
            |(authorization, account, pending)| {
                let Versioned { row, version, .. } = authorization;
                let ended = Trigger::Ended(end, why.clone());
                let Some(changed) = holds(&row)
                    .then(|| row.on(ended, context.now()))
                    .transpose()?
                    .flatten()
                else {
                    return Ok((Change::none(), false));
                };
                let mut change = Change::none()
                    .authorization(Some(changed), version)
                    .shred(pending);
                if let Some(Versioned { row, version, .. }) = account {
                    let failed = row.on(account::Trigger::VerificationFailed, context.now())?;
                    change = change.account(failed, row.state, version);
                }
                Ok((change, true))
            },
        )
        .await?;
    work_off_outbox(context);
    Ok(ended)
}

/// An authorization; where it has pending credentials, with its account and with them.
async fn load(
    context: &Context,
    id: AuthorizationId,
) -> Result<(
    Versioned<Authorization>,
    Option<Versioned<Account>>,
    Vec<Shredded>,
)> {
    let authorization = context.authorization_row(id).await?;
    if authorization.row.pending.is_none() {
        return Ok((authorization, None, Vec::new()));
    }
    let account_id = authorization.row.account_id;
    let account = context.store.account(account_id).await?;
    let mut pending = Vec::new();
    if let Some(Versioned { row: account, .. }) = &account {
        for credential in context.store.credentials(account_id).await? {
            if credential.row.pending_for == Some(id) {
                let revocation =
                    revocation_of_unconfirmed(context, account, &credential.row).await?;
                pending.push((credential, revocation));
            }
        }
    }
    Ok((authorization, account, pending))
}
