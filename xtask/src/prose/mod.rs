//! `cargo xtask prose`: how the texts read that people read.

use anyhow::Result;

use crate::shell;

/// Prints how many words and sentences README and docs have, and how hard they are to read.
///
/// # Errors
/// If Python doesn't run.
pub(crate) fn count() -> Result<()> {
    shell::run("python3 tests/prose/count.py")
}
