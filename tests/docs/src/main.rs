//! Runs one Rust block of the book: `stead-docs start/quickstart.md:80`, with the line of its fence.

use std::process::ExitCode;

include!(concat!(env!("OUT_DIR"), "/blocks.rs"));

fn main() -> ExitCode {
    let block = std::env::args().nth(1).unwrap_or_default();
    run(&block).unwrap_or(ExitCode::from(2))
}
