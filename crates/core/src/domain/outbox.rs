//! The outbox: what is still to be done at a product after a commit.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Extra;
use crate::{
    identifier::{AccountId, ConnectionId, OutboxId},
    sealed::Sealed,
};

/// Something to do at a product after a commit, until it is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct OutboxEntry {
    /// Id; primary key.
    pub(crate) id: OutboxId,
    /// What to do.
    pub(crate) task: OutboxTask,
    /// Failed attempts.
    pub(crate) attempts: u32,
    /// When to try next.
    pub(crate) due_at: Timestamp,
    /// What else its stored body holds.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

/// What to do at a product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub(crate) enum OutboxTask {
    /// Revoke a token (RFC 7009).
    Revoke {
        /// Connection whose client authenticates the request.
        connection_id: ConnectionId,
        /// Account whose token it was.
        account_id: AccountId,
        /// Generation that the token belonged to.
        generation: u64,
        /// Which of the connection's clients the token was issued to.
        #[serde(default)]
        client_epoch: u64,
        /// The token.
        token: Sealed,
        /// Accounts that end with it, as the application was told.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also_ends: Vec<AccountId>,
    },
}
