//! Storage of rows. The port [`Store`] has six methods and three more with defaults: it finds rows, lists them and
//! commits batches. Only core knows what rows mean, so a store is easy to write. See `examples/custom_store.rs` of the
//! crate `stead`, and test it with `stead_testkit::store`.

mod batch;
mod breaker;
mod clock;
mod measured;
mod memory;
mod record;
mod records;
mod table;

use jiff::Timestamp;

pub use batch::{Batch, Commit, Write};
pub(crate) use breaker::Breaker;
pub(crate) use clock::StoreClock;
pub(crate) use measured::Measured;
pub use memory::MemoryStore;
pub(crate) use record::{Record, Rewritten, read, shown};
#[cfg(test)]
pub(crate) use records::ExecutionGroup;
pub use records::TABLES;
pub(crate) use records::{
    AUTHENTICATED, CALL_BYTES, CallName, Cutoffs, KeyVersion, KnownNames, Place, Records, RowKeys,
    Search,
};
pub use table::{Column, ColumnKind, Index, Key, List, Row, Table, Value};

use crate::{Result, api::Paging, ports::BoxFuture};

/// A row with the version that guards its next change, and the store's time when it was read.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a store makes them")]
pub struct Versioned<T> {
    /// The row.
    pub row: T,
    /// 1 after insertion, increased by one with every update.
    pub version: u64,
    /// The store's own time when it was read.
    pub read_at: Timestamp,
}

impl Paging {
    /// The token of the next page: the key of the last row, if the page is full.
    pub(crate) fn next<R, K: ToString>(
        &self,
        rows: &[Versioned<R>],
        key: impl Fn(&R) -> K,
    ) -> Option<String> {
        let last = rows.last().filter(|_| rows.len() == self.limit() as usize);
        last.map(|last| key(&last.row).to_string())
    }
}

/// Result of a lookup: the row, or nothing.
pub type Found<'a> = BoxFuture<'a, Result<Option<Versioned<Row>>>>;

/// Stores rows. Every method fails with [`ErrorKind::StorageUnavailable`](crate::ErrorKind::StorageUnavailable) if the
/// store doesn't respond. Core logs once that it is unavailable and once that it works again. A store that responds but
/// doesn't accept writes logs the reason itself, once.
///
/// Return a row as it is stored, even if it isn't valid, because core compares body and values. Return unreadable text
/// as an empty string, and an invalid version as 0.
pub trait Store: Send + Sync + 'static {
    /// The row with this key.
    fn get<'a>(&'a self, key: &'a Key) -> Found<'a>;

    /// The row with these values in a unique index. The values are never null.
    fn find<'a>(&'a self, table: &'static Table, index: Index, values: &'a [Value]) -> Found<'a>;

    /// The rows of a list.
    fn list<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<Vec<Versioned<Row>>>>;

    /// Commits a whole batch durably, or nothing of it. After a failure, the outcome is unknown. Core then retries the
    /// same batch, and reads its rows if that conflicts.
    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>>;

    /// Deletes the rows of a list, whatever their version. Returns how many there were.
    fn prune<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<u64>>;

    /// The store's own time.
    fn now(&self) -> BoxFuture<'_, Result<Timestamp>>;

    /// Whether the store can read and write. Anyone can trigger this check, so keep it cheap.
    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { self.now().await.map(drop) })
    }

    /// Whether several processes share the store. They then also share products' quotas.
    fn is_shared(&self) -> bool {
        false
    }

    /// When the store was last restored from an older copy, if known. Its refresh tokens may already have been used.
    fn restored_at(&self) -> BoxFuture<'_, Result<Option<Timestamp>>> {
        Box::pin(async { Ok(None) })
    }
}

#[cfg(test)]
mod tests;
