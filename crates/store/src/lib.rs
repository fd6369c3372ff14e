//! The stores of Stead that outlive the process.
//!
//! [`SqliteStore`] keeps everything in one file of this machine; several processes may have it open. The SQL is written
//! once, in [`SqlStore`]; what differs between databases is an engine, a folder beside `sqlite`.
//!
//! Every kind of row has a table: the columns that it is looked up or removed by, its version, and the whole row as JSON. Secrets
//! come sealed (see `stead_core::store`), so a copy of the database without the key ring opens nothing. A row whose JSON
//! and columns disagree was changed from outside and is refused with
//! [`ErrorKind::IntegrityViolated`](stead_core::ErrorKind::IntegrityViolated).

#[cfg(feature = "sqlite")]
mod batch;
#[cfg(feature = "sqlite")]
mod engine;
#[cfg(feature = "sqlite")]
mod prune;
#[cfg(feature = "sqlite")]
mod query;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod store;
#[cfg(feature = "sqlite")]
mod table;

#[cfg(feature = "sqlite")]
pub use sqlite::{Sqlite, SqliteOptions, SqliteStore};
#[cfg(feature = "sqlite")]
pub use store::SqlStore;
