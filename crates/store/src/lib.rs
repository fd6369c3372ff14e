//! The stores of Stead that outlive the process.
//!
//! [`SqliteStore`] keeps everything in one file on this machine, which several processes can have open.
//! [`PostgresStore`] keeps it in a database that servers on many machines share. The SQL is written once, in
//! [`SqlStore`]. Each database has an engine, in a folder of its own, for everything that differs.
//!
//! [`FileSpool`] keeps records in a folder next to the database while the database accepts no writes.
//!
//! Every table has the columns that its rows are found by, then a version, and the row as JSON, which this crate
//! doesn't read. Secrets arrive encrypted, so no one can read them from a copy of the database without the key ring.
// On docs.rs, items show the feature that they need.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod copy;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod engine;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod fault;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod files;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod health;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod schema;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod spool;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod statement;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod store;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod taken;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod unfinished;

#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use copy::{Copied, CopyProgress, CopyStep, StoreCopy, TableCopy};
#[cfg(feature = "postgres")]
pub use postgres::{
    Postgres, PostgresInspection, PostgresOptions, PostgresStore, inspect_postgres,
};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use spool::FileSpool;
#[cfg(feature = "sqlite")]
pub use sqlite::{Inspection, Sqlite, SqliteOptions, SqliteStore, backup, inspect};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use store::SqlStore;
