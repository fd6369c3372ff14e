//! Moves tokens from the spool into the store.

use super::{
    keep::offer,
    spooled::{SpooledTokens, remove},
};
use crate::{
    ErrorKind, Result,
    context::{Context, TokenSet},
    domain::refresh::Refreshed,
    identifier::AccountId,
    sealed::place,
};

/// Moves everything from the spool into the store. If a record can't be moved, it stays for the next attempt.
pub(crate) async fn replay_spool(context: &Context) {
    replay(context, None).await;
}

/// Does the same for one account. Returns whether the spool had anything for it.
pub(super) async fn replay_account(context: &Context, account: AccountId) -> bool {
    replay(context, Some(account)).await > 0
}

async fn replay(context: &Context, only: Option<AccountId>) -> usize {
    let Some(spool) = &context.store.spool else {
        return 0;
    };
    let records = match spool.list().await {
        Ok(records) => records,
        Err(error) => {
            tracing::error!(%error, "couldn't read the spool");
            return 0;
        }
    };
    let mut moved = 0;
    for (name, record) in records {
        let Ok(record) = serde_json::from_slice::<SpooledTokens>(&record) else {
            tracing::error!(record = name, "couldn't read a record of the spool");
            continue;
        };
        let account = record.account_id;
        if only.is_some_and(|only| only != account) {
            continue;
        }
        match offer_record(record, context).await {
            Err(error) if error.kind() != ErrorKind::AccountNotFound => {
                tracing::warn!(%account, %error, "couldn't store tokens from the spool yet");
            }
            _ => {
                moved += 1;
                remove(context, &name).await;
            }
        }
    }
    moved
}

/// Tries once to store the tokens of a record.
async fn offer_record(record: SpooledTokens, context: &Context) -> Result<()> {
    let account = context.existing_account(record.account_id).await?.row;
    let connection = context.connection_by_id(account.connection_id).await?.row;
    let rotation = context.endpoints_of(&connection)?.product.oauth.rotation;
    let (vault, epoch) = (&context.store.vault, record.client_epoch);
    let place = place::SpooledTokens::of(record.owner, &account, epoch);
    let tokens = TokenSet::open_at(vault, &place, epoch, &record.sealed).await?;
    let refreshed = Refreshed {
        owner: record.owner,
        grant: record.grant,
        claimed: record.claimed,
        generation: 0,
        sent_at: record.sent_at,
        token_expires_at: tokens.expires_at(),
        reauthorize_by: None,
        scopes: record.scopes,
        rotation,
        rotated: record.rotated,
    };
    offer(context, account.id, &tokens, &refreshed).await
}
