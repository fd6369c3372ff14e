//! Tokens in the spool: what a refresh brought while the store took nothing.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::keep::offer;
use crate::{
    Error, ErrorKind, Result,
    context::{Context, TokenSet},
    domain::{Account, refresh::Refreshed},
    identifier::AccountId,
    sealed::Sealed,
};

/// One record.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SpooledTokens {
    account_id: AccountId,
    owner: Uuid,
    grant: u64,
    claimed: u64,
    sent_at: Timestamp,
    scopes: Option<Vec<String>>,
    rotated: bool,
    client_epoch: u64,
    sealed: Sealed,
}

impl SpooledTokens {
    /// Puts tokens into the spool; the name of the record, where there is a spool and it took it.
    pub(super) async fn put(
        context: &Context,
        account: &Account,
        tokens: &TokenSet,
        refreshed: &Refreshed,
    ) -> Option<String> {
        let spool = context.spool.as_ref()?;
        let name = name(account.id, refreshed.owner);
        let put = async {
            let record = Self {
                account_id: account.id,
                owner: refreshed.owner,
                grant: refreshed.grant,
                claimed: refreshed.claimed,
                sent_at: refreshed.sent_at,
                scopes: refreshed.scopes.clone(),
                rotated: refreshed.rotated,
                client_epoch: tokens.client_epoch(),
                sealed: tokens.seal_for_spool(&context.vault, account, refreshed.owner)?,
            };
            let record = serde_json::to_vec(&record)
                .map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?;
            spool.put(&name, &record).await
        };
        match put.await {
            Ok(()) => Some(name),
            Err(error) => {
                tracing::error!(account = %account.id, %error, "a refreshed credential is in memory only");
                None
            }
        }
    }

    /// Offers the tokens to the store once.
    async fn offer(self, context: &Context) -> Result<()> {
        let account = context.existing_account(self.account_id).await?.row;
        let connection = context.connection_by_id(account.connection_id).await?.row;
        let rotation = context.endpoints_of(&connection)?.product.oauth.rotation;
        let tokens = TokenSet::open_from_spool(
            &context.vault,
            &account,
            self.owner,
            self.client_epoch,
            &self.sealed,
        )?;
        let refreshed = Refreshed {
            owner: self.owner,
            grant: self.grant,
            claimed: self.claimed,
            generation: 0,
            sent_at: self.sent_at,
            token_expires_at: tokens.expires_at(),
            scopes: self.scopes,
            rotation,
            rotated: self.rotated,
        };
        offer(context, account.id, &tokens, &refreshed).await
    }
}

/// The name of a record, in the characters that a spool takes.
fn name(account: AccountId, owner: Uuid) -> String {
    format!("{account}-{owner}").replace('_', "-")
}

/// Moves everything from the spool into the store. What cannot be moved stays for the next time.
pub(crate) async fn replay_spool(context: &Context) {
    replay(context, None).await;
}

/// The same for one account; whether there was anything.
pub(super) async fn replay_account(context: &Context, account: AccountId) -> bool {
    replay(context, Some(account)).await > 0
}

async fn replay(context: &Context, only: Option<AccountId>) -> usize {
    let Some(spool) = &context.spool else {
        return 0;
    };
    let records = match spool.list().await {
        Ok(records) => records,
        Err(error) => {
            tracing::error!(%error, "the spool cannot be read");
            return 0;
        }
    };
    let mut moved = 0;
    for (name, record) in records {
        let Ok(record) = serde_json::from_slice::<SpooledTokens>(&record) else {
            tracing::error!(record = name, "a record of the spool cannot be read");
            continue;
        };
        let account = record.account_id;
        if only.is_some_and(|only| only != account) {
            continue;
        }
        match record.offer(context).await {
            Err(error) if error.kind() != ErrorKind::AccountNotFound => {
                tracing::warn!(%account, %error, "tokens in the spool could not be stored yet");
            }
            _ => {
                moved += 1;
                remove(context, &name).await;
            }
        }
    }
    moved
}

/// Removes a record that is kept. Where that fails it is found again, and seen to be kept.
pub(super) async fn remove(context: &Context, name: &str) {
    if let Some(spool) = &context.spool
        && let Err(error) = spool.remove(name).await
    {
        tracing::warn!(record = name, %error, "a record of the spool could not be removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spool_takes_the_name_of_a_record() {
        let name = name(AccountId::from_uuid(Uuid::from_u128(7)), Uuid::from_u128(9));
        let taken = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(name.len() <= 100 && name.chars().all(taken), "{name}");
    }
}
