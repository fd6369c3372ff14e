//! The spool keeps new tokens while the store is unavailable, and knows which processes are running.

use super::BoxFuture;
use crate::Result;

/// A record with its name.
pub type Spooled = (String, Vec<u8>);

/// Keeps a few small records while the store is unavailable, such as new tokens that a product won't issue again. The
/// records are already encrypted. It also knows which processes have stopped, so others can take over their leases
/// immediately.
///
/// Stead writes to it when the store fails, and reads it when an environment opens or the store works again. One
/// process or the processes of one machine share it. Other machines don't see its records.
///
/// Names of records and IDs of processes are 1 to 100 characters of `a-z`, `0-9` and `-`.
pub trait Spool: Send + Sync + 'static {
    /// Registers a process with a unique ID. [`has_ended`](Self::has_ended) is false for it until it stops. Two
    /// environments in one process register two IDs.
    fn enter<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<()>>;

    /// Whether a process has certainly stopped. False if that's unknown, for example for a process of another machine.
    fn has_ended<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<bool>>;

    /// Stores a record durably. Replaces a record with the same name.
    fn put<'a>(&'a self, name: &'a str, record: &'a [u8]) -> BoxFuture<'a, Result<()>>;

    /// All records.
    fn list(&self) -> BoxFuture<'_, Result<Vec<Spooled>>>;

    /// Deletes a record. Succeeds if it doesn't exist.
    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<()>>;
}
