//! The SQLite store: the suite that every store passes, and what is SQLite's own.
#![cfg(feature = "sqlite")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod copies;
mod failures;
mod file;
mod history;
mod open;
mod positions;
mod scratch;
mod spool;
mod suite;
mod tamper;
