//! The outbox: work that remains at a product after a commit.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Extra;
use crate::{
    identifier::{AccountId, ConnectionId, OutboxId},
    sealed::{Sealed, place},
};

/// Work that remains at a product after a commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct OutboxEntry {
    /// ID; primary key.
    pub(crate) id: OutboxId,
    /// The work.
    pub(crate) task: OutboxTask,
    /// Number of failed attempts.
    pub(crate) attempts: u32,
    /// When to try next.
    pub(crate) due_at: Timestamp,
    /// Other members of the stored body, such as those of a newer version.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

/// Kind of work at a product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub(crate) enum OutboxTask {
    /// Revoke a token (RFC 7009).
    Revoke {
        /// Connection whose client authenticates the request.
        connection_id: ConnectionId,
        /// Account that the token belonged to.
        account_id: AccountId,
        /// Generation that the token belonged to.
        generation: u64,
        /// Epoch of the connection's client that the token was issued to.
        #[serde(default)]
        client_epoch: u64,
        /// The token.
        token: Sealed<place::OutboxToken>,
        /// Accounts that stop working with it, as the application was told.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also_ends: Vec<AccountId>,
    },
}
