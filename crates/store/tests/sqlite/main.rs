//! The SQLite store: the suite for all stores, and tests that are specific to SQLite.
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
