//! Where rows are kept. The port [`Store`] has six methods, three more that have a default, and no rules: it finds rows, lists them, and commits batches.
//! What the rows mean is known to core only, so that another store is small; one is in `examples/custom_store.rs` of
//! the crate `stead`, and `stead_testkit::store` is the suite that it has to pass.

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
pub use records::TABLES;
pub(crate) use records::{
    AUTHENTICATED, Cutoffs, ExecutionGroup, KeyVersion, Position, Records, RowKeys, Search,
    executions::KINDS, group::SPAN,
};
pub use table::{Column, ColumnKind, Index, Key, List, Row, Table, Value};

use crate::{Result, ports::BoxFuture};

/// A row with the version that guards its next change, and the store's time at the reading.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a store makes them")]
pub struct Versioned<T> {
    /// The row.
    pub row: T,
    /// 1 at the insertion, one more at every update.
    pub version: u64,
    /// The store's own time when it was read.
    pub read_at: Timestamp,
}

/// Response of a look-up: the row, or nothing.
pub type Found<'a> = BoxFuture<'a, Result<Option<Versioned<Row>>>>;

/// Keeps rows. Every method fails with [`ErrorKind::StorageUnavailable`](crate::ErrorKind::StorageUnavailable) where
/// the store does not answer. Core logs once that it is away, and once that it is back; a store that answers and takes no
/// writes logs that, and why, by itself and once.
///
/// A row comes back as it is stored, even where it makes no sense: core compares body and values. What cannot be read as
/// text comes as an empty text, and what is not a version as version 0.
pub trait Store: Send + Sync + 'static {
    /// The row with this key.
    fn get<'a>(&'a self, key: &'a Key) -> Found<'a>;

    /// The row with these values in a unique index; none of them is null.
    fn find<'a>(&'a self, table: &'static Table, index: Index, values: &'a [Value]) -> Found<'a>;

    /// The rows of a list.
    fn list<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<Vec<Versioned<Row>>>>;

    /// Commits all of a batch, durably, or nothing of it. After a failure no one knows which: core offers the same batch
    /// again, and reads its rows where that conflicts.
    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>>;

    /// Deletes the rows of a list, whatever their version; how many there were.
    fn prune<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<u64>>;

    /// The store's own time.
    fn now(&self) -> BoxFuture<'_, Result<Timestamp>>;

    /// Whether the store reads and writes. Anyone may cause this to be asked: it costs little, however often.
    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { self.now().await.map(drop) })
    }

    /// Whether several processes share what is stored: then they share the quotas of products too.
    fn is_shared(&self) -> bool {
        false
    }

    /// When an older copy last took the place of what was stored, where the store knows: refresh tokens in it may have
    /// been used since.
    fn restored_at(&self) -> BoxFuture<'_, Result<Option<Timestamp>>> {
        Box::pin(async { Ok(None) })
    }
}

#[cfg(test)]
mod tests;
