//! Records of the spool: tokens that a refresh returned while the store accepted no writes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    Error, ErrorKind, Result,
    context::{Context, TokenSet},
    domain::{Account, refresh::Refreshed},
    identifier::AccountId,
    sealed::{Sealed, place},
};

/// One record.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SpooledTokens {
    pub(super) account_id: AccountId,
    pub(super) owner: Uuid,
    pub(super) grant: u64,
    pub(super) claimed: u64,
    pub(super) sent_at: Timestamp,
    pub(super) scopes: Option<Vec<String>>,
    pub(super) rotated: bool,
    pub(super) client_epoch: u64,
    pub(super) sealed: Sealed<place::SpooledTokens>,
}

impl SpooledTokens {
    /// Puts tokens into the spool. Returns the record's name.
    pub(super) async fn put(
        context: &Context,
        account: &Account,
        tokens: &TokenSet,
        refreshed: &Refreshed,
    ) -> Result<String> {
        let spool = context.store.spool.as_ref().ok_or_else(|| {
            Error::new(
                ErrorKind::StorageUnavailable,
                "this process has no spool for it",
            )
        })?;
        let name = name(account.id, refreshed.owner);
        let place = place::SpooledTokens::of(refreshed.owner, account, tokens.client_epoch());
        let record = Self {
            account_id: account.id,
            owner: refreshed.owner,
            grant: refreshed.grant,
            claimed: refreshed.claimed,
            sent_at: refreshed.sent_at,
            scopes: refreshed.scopes.clone(),
            rotated: refreshed.rotated,
            client_epoch: tokens.client_epoch(),
            sealed: tokens.seal_at(&context.store.vault, &place)?,
        };
        let record = serde_json::to_vec(&record)
            .map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?;
        spool.put(&name, &record).await?;
        Ok(name)
    }
}

/// The name of a record, in characters that a spool allows.
fn name(account: AccountId, owner: Uuid) -> String {
    format!("{account}-{owner}").replace('_', "-")
}

/// Removes a record whose tokens are stored. If that fails, the record is found again later and recognized as stored.
pub(super) async fn remove(context: &Context, name: &str) {
    if let Some(spool) = &context.store.spool
        && let Err(error) = spool.remove(name).await
    {
        tracing::warn!(record = name, %error, "couldn't delete a record of the spool");
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
