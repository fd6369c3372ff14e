//! The stores of Stead that outlive the process.
//!
//! [`SqliteStore`] keeps everything in one file of this machine; several processes may have it open. The SQL is written
//! once, in [`SqlStore`]; what differs between databases is an engine, a folder next to `sqlite`.
//!
//! [`FileSpool`] keeps, next to a database, what must not be lost while the database takes nothing.
//!
//! Every table has the columns that its rows are found by, then a version, and the row as JSON, which this crate does not
//! read. Secrets come sealed, so a copy of the database without the key ring opens nothing.

#[cfg(feature = "sqlite")]
mod engine;
#[cfg(feature = "sqlite")]
mod spool;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod statement;
#[cfg(feature = "sqlite")]
mod store;

#[cfg(feature = "sqlite")]
pub use spool::FileSpool;
#[cfg(feature = "sqlite")]
pub use sqlite::{Inspection, Sqlite, SqliteOptions, SqliteStore, backup, inspect};
#[cfg(feature = "sqlite")]
pub use store::SqlStore;
