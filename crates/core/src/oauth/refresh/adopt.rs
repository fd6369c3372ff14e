//! Tokens that a refresh stored after it lost its lease.

use super::Attempt;
use crate::{
    ErrorKind, Result,
    context::{Context, TokenSet, change::Change},
    domain::{Account, account::Trigger, refresh::LiveGeneration},
    store::Versioned,
};

/// Result of the search for newer tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Adoption {
    NothingNewer,
    /// This generation is now the current one, and the lease is released.
    Adopted(u64),
    /// The account has changed in the meantime.
    LeaseLost,
}

/// Switches the account to tokens that were requested later than the current ones. If the product rotates refresh
/// tokens, they may be the only valid ones.
pub(super) async fn adopt(context: &Context, attempt: &Attempt) -> Result<Adoption> {
    let Some((newer, tokens)) = newer(context, attempt).await? else {
        return Ok(Adoption::NothingNewer);
    };
    context
        .change(
            "refresh.adopt",
            || context.existing_account(attempt.account.id),
            |account: Versioned<Account>| {
                if account.row.generation != attempt.account.generation
                    || !account.row.is_leased_to(attempt.owner)
                {
                    return Ok((Change::none(), Adoption::LeaseLost));
                }
                let adopted = Trigger::CredentialAdopted {
                    generation: newer.generation,
                    token_expires_at: tokens.expires_at(),
                    sent_at: newer.sent_at,
                };
                let changed = account.row.on(adopted, context.host.now())?;
                let change = Change::none().account(changed, account.row.state, account.version);
                Ok((change, Adoption::Adopted(newer.generation)))
            },
        )
        .await
}

/// Returns the tokens to adopt. Skips tokens that can't be decrypted.
async fn newer(context: &Context, attempt: &Attempt) -> Result<Option<(LiveGeneration, TokenSet)>> {
    let credentials = context.store.credentials(attempt.account.id).await?;
    let rows = credentials.iter().map(|found| &found.row);
    let mut live: Vec<_> = rows
        .filter_map(|row| LiveGeneration::of(row, &attempt.account))
        .collect();
    while let Some(generation) = attempt.account.adoptable(attempt.rotation, &live) {
        match context.tokens(&attempt.account, generation).await {
            Ok(Some(tokens)) => {
                let found = live.into_iter().find(|one| one.generation == generation);
                return Ok(found.map(|one| (one, tokens)));
            }
            Err(error) if error.kind() == ErrorKind::StorageUnavailable => return Err(error),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(account = %attempt.account.id, generation, kind = %error.kind(), "skipped tokens that can't be decrypted");
            }
        }
        live.retain(|one| one.generation != generation);
    }
    Ok(None)
}
