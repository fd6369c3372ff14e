//! Ends an authorization without success.

use crate::{
    Result,
    context::{
        Context,
        change::{Change, Shredded},
    },
    domain::{
        Account, Authorization, Credential, account,
        authorization::{End, Trigger, Why},
    },
    identifier::AuthorizationId,
    store::Versioned,
};

/// Ends an authorization without success if `holds` is true for it, and shreds its pending credential. The credential
/// isn't revoked at the product, because no one asked for that, and because it could disconnect a working account: the
/// product may revoke everything that the user granted to the project, or may have issued the same token to another
/// account. Returns whether the authorization ended. If `holds` is false by now, it stays unchanged.
pub(crate) async fn end(
    context: &Context,
    id: AuthorizationId,
    holds: impl Fn(&Authorization) -> bool,
    end: End,
    why: impl Into<Why>,
) -> Result<bool> {
    let why = why.into();
    context
        .change(
            "authorization.end",
            || load(context, id),
            |(authorization, account, pending)| {
                let Versioned { row, version, .. } = authorization;
                let ended = Trigger::Ended(end, why.clone());
                let Some(changed) = holds(&row)
                    .then(|| row.on(ended, context.host.now()))
                    .transpose()?
                    .flatten()
                else {
                    return Ok((Change::none(), false));
                };
                let mut change = Change::none()
                    .authorization(Some(changed), version)
                    .shred(pending);
                if let Some(Versioned { row, version, .. }) = account {
                    let failed =
                        row.on(account::Trigger::VerificationFailed, context.host.now())?;
                    change = change.account(failed, row.state, version);
                }
                Ok((change, true))
            },
        )
        .await
}

/// Loads an authorization. If it has pending credentials, also loads its account and those credentials.
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
    if account.is_some() {
        let credentials = context.store.credentials(account_id).await?;
        let of_this = |found: &Versioned<Credential>| found.row.pending_for == Some(id);
        pending.extend(
            credentials
                .into_iter()
                .filter(of_this)
                .map(|found| (found, None)),
        );
    }
    Ok((authorization, account, pending))
}
