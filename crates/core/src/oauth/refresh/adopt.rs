//! Tokens that a refresh stored after it lost its lease.

use jiff::Timestamp;
use uuid::Uuid;

use crate::{
    Result,
    context::{Context, change::Change},
    domain::{Account, account::Trigger},
    store::Versioned,
};

/// Makes tokens that are newer than the current ones the current ones: of a rotating product they may be the only ones
/// that are alive. Returns whether there were any.
pub(super) async fn adopt_orphan(
    context: &Context,
    claimed: &Account,
    owner: Uuid,
) -> Result<bool> {
    context
        .change(
            "refresh.adopt",
            || load(context, claimed),
            |(account, newest)| {
                let Some((generation, token_expires_at)) = newest.filter(|_| {
                    account.row.generation == claimed.generation && account.row.is_leased_to(owner)
                }) else {
                    return Ok((Change::none(), false));
                };
                let adopted = Trigger::CredentialAdopted {
                    generation,
                    token_expires_at,
                };
                let changed = account.row.on(adopted, context.now())?;
                let is_adopted = changed.is_some();
                Ok((Change::none().account(changed, account.version), is_adopted))
            },
        )
        .await
}

/// The account, with generation and end of the newest tokens that are neither current nor pending.
async fn load(
    context: &Context,
    claimed: &Account,
) -> Result<(Versioned<Account>, Option<(u64, Option<Timestamp>)>)> {
    let account = context.existing_account(claimed.id).await?;
    let newest = context
        .store
        .credentials(claimed.id)
        .await?
        .into_iter()
        .map(|credential| credential.row)
        .filter(|credential| {
            credential.pending_for.is_none()
                && credential.generation > claimed.generation
                && credential.client_epoch == claimed.client_epoch
        })
        .max_by_key(|credential| credential.generation);
    let newest = match newest {
        None => None,
        Some(credential) => context
            .tokens(claimed, credential.generation)
            .await?
            .map(|tokens| (credential.generation, tokens.expires_at())),
    };
    Ok((account, newest))
}
