//! Runs a Rust block of the book, named by its page and the line of its fence: `stead-docs start/quickstart.md:100`.

use std::process::{ExitCode, Termination};

include!(concat!(env!("OUT_DIR"), "/blocks.rs"));

fn main() -> ExitCode {
    match std::env::args().nth(1) {
        Some(block) => run(&block),
        None => missing(""),
    }
}

fn missing(block: &str) -> ExitCode {
    eprintln!("no page has the block {block:?}");
    ExitCode::FAILURE
}
