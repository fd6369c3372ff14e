//! A place next to the store for what must not be lost while the store takes nothing, and for the signs of life of the
//! processes that share it.

use super::BoxFuture;
use crate::Result;

/// A record with its name.
pub type Spooled = (String, Vec<u8>);

/// Keeps a few small records while the store does not take them: tokens that a product issued and will not issue again.
/// What it is given is sealed already. It also knows which of the processes that use it have ended, so that what an ended
/// one held is free at once.
///
/// It is used when the store has failed, and read when an environment opens and after the store has come back. It
/// belongs to one process at a time or to processes of one machine; records of another machine's spool are not seen.
///
/// Names of records and ids of processes are 1 to 100 characters of `a-z`, `0-9` and `-`.
pub trait Spool: Send + Sync + 'static {
    /// Begins a process under an id that no other has: until it ends, [`has_ended`](Self::has_ended) is false for it.
    /// Two environments of one process begin it twice, with two ids.
    fn enter<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Whether a process has ended for certain. False where that cannot be known, as for one of another machine.
    fn has_ended<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<bool>>;

    /// Keeps a record under a name, durably once this returns. A record of the same name is replaced.
    fn put<'a>(&'a self, name: &'a str, record: &'a [u8]) -> BoxFuture<'a, Result<()>>;

    /// Every record.
    fn list(&self) -> BoxFuture<'_, Result<Vec<Spooled>>>;

    /// Removes a record; one that is not there is removed already.
    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<()>>;
}
