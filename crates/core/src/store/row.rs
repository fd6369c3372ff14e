//! A stored row with its version; the entities themselves are the domain's.

use jiff::Timestamp;

pub use crate::{
    digest::Digest,
    domain::{
        AccessToken as AccessTokenRow, Account as AccountRow, AppCredential as AppCredentialRow,
        Authorization as AuthorizationRow, AuthorizationState, Connection as ConnectionRow,
        Credential as CredentialRow, DataKey as DataKeyRow, EndpointSnapshot, Event as EventRow,
        Execution as ExecutionRow, Lease, OutboxEntry as OutboxRow, OutboxTask, PendingCredential,
        Subject,
    },
    sealed::Sealed,
};

/// A row with the version that guards its next change, and the store's time at the reading.
#[derive(Debug, Clone, PartialEq)]
pub struct Versioned<T> {
    /// The row.
    pub row: T,
    /// 1 at the insertion, one more at every update.
    pub version: u64,
    /// The store's own time when it was read.
    pub read_at: Timestamp,
}
