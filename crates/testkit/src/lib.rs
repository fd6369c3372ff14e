//! Test suites and test doubles for authors of products and stores.
//!
//! A product's `tests/suite.rs` is one line, with `harness = false` in its manifest:
//!
//! ```text
//! fn main() -> std::process::ExitCode {
//!     stead_testkit::suite::main(&stead_mail::PRODUCT, concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"))
//! }
//! ```
//!
//! [`fixture`] describes the format of fixture files, and [`suite::checks`] lists the suite's checks. For your own
//! tests, [`Canned`] responds to a tool's requests from a script, [`drive`] runs the tool without a runtime, and [`cases`]
//! reads a table.

mod canned;
mod difference;
mod drive;
pub mod fixture;
mod replay;
pub mod runtime;
#[cfg(feature = "store")]
pub mod store;
pub mod suite;

pub use canned::{Canned, Sent};
pub use difference::{differences, missing};
pub use drive::{Pending, drive, try_drive};
pub use replay::{Replayed, replay, replay_one};

/// Reads the cases of a table, one in each line. `=>` separates the cells, such as the input and the expected result.
///
/// # Panics
/// If a line doesn't have `N` cells.
pub fn cases<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    let lines = table.lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).map(|line| {
        let cells: Vec<&str> = line.split("=>").map(str::trim).collect();
        let cells = cells.try_into();
        cells.unwrap_or_else(|_| panic!("not {N} cells: {line}"))
    })
}
