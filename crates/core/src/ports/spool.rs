//! A place next to the store for what must not be lost while the store takes nothing.

use super::BoxFuture;
use crate::Result;

/// A record with its name.
pub type Spooled = (String, Vec<u8>);

/// Keeps a few small records while the store does not take them: tokens that a product issued and will not issue again.
/// What it is given is sealed already.
///
/// It is used when the store has failed, and read when an environment opens and after the store has come back. It
/// belongs to one process at a time or to processes of one machine; records of another machine's spool are not seen.
pub trait Spool: Send + Sync + 'static {
    /// Keeps a record under a name, durably once this returns. A record of the same name is replaced. Names are 1 to
    /// 100 characters of `a-z`, `0-9` and `-`.
    fn put<'a>(&'a self, name: &'a str, record: &'a [u8]) -> BoxFuture<'a, Result<()>>;

    /// Every record.
    fn list(&self) -> BoxFuture<'_, Result<Vec<Spooled>>>;

    /// Removes a record; one that is not there is removed already.
    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<()>>;
}
