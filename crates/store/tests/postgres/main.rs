//! The PostgreSQL store: the suite for all stores, and tests that are specific to PostgreSQL. Each test has a database
//! of its own on a server that stops with this program.
#![cfg(all(feature = "postgres", unix))]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "what is left out is told")]

#[cfg(feature = "sqlite")]
mod copy;
mod failures;
mod history;
mod open;
mod pooler;
mod positions;
mod secure;
mod server;
mod simulation;
mod suite;
