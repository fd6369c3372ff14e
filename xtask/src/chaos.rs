//! `cargo xtask chaos`: builds the service with its failpoints, and runs `tests/chaos` against it.

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::shell;

/// The binary with its failpoints, apart from the one that other commands build.
const BINARY: &str = "target/chaos/stead";

/// Runs the scenarios with these options.
///
/// # Errors
/// Where the service cannot be built, or something that must hold does not.
pub(crate) fn run(options: &[&str]) -> Result<()> {
    shell::run("cargo build --quiet --locked -p stead-cli --features failpoints")?;
    let binary = shell::root().join(BINARY);
    if let Some(folder) = binary.parent() {
        fs::create_dir_all(folder)?;
    }
    // The file of a service that still runs is not written to.
    let _ = fs::remove_file(&binary);
    fs::copy(shell::root().join("target/debug/stead"), &binary)
        .with_context(|| format!("cannot copy to {BINARY}"))?;
    let status = shell::command("cargo run --quiet --locked -p stead-chaos -- --binary")
        .arg(BINARY)
        .args(options)
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("not everything holds");
    }
    Ok(())
}
