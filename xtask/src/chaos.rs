//! `cargo xtask chaos` builds the service with its failpoints, and runs `tests/chaos` against it. `cargo xtask upgrade`
//! does the same with an older service next to it, on one PostgreSQL under load.

use std::{fs, path::PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::shell;

/// The binary with failpoints. It's separate from the one that other commands build.
const BINARY: &str = "target/chaos/stead";
/// The commit of the older version: the first one that has PostgreSQL.
const OLD: &str = "2781acd";
/// The folder in which it's checked out and built.
const UPGRADE: &str = "target/upgrade";

/// Runs the scenarios with these options.
///
/// # Errors
/// If the service doesn't build, or a scenario fails.
pub(crate) fn run(options: &[&str]) -> Result<()> {
    shell::run("cargo build --quiet --locked -p stead-cli --features failpoints")?;
    let binary = shell::root().join(BINARY);
    if let Some(folder) = binary.parent() {
        fs::create_dir_all(folder)?;
    }
    // Replace the file, because a service may still be running from the old one.
    let _ = fs::remove_file(&binary);
    fs::copy(shell::root().join("target/debug/stead"), &binary)
        .with_context(|| format!("cannot copy to {BINARY}"))?;
    let mut chaos = shell::command("cargo run --quiet --locked -p stead-chaos -- --binary");
    shell::succeed(chaos.arg(BINARY).args(options), "not everything holds")
}

/// Runs both versions side by side for some minutes.
///
/// # Errors
/// If one doesn't build, or the scenario fails.
pub(crate) fn upgrade(options: &[&str]) -> Result<()> {
    let (mut minutes, mut old) = ("10", None);
    for pair in options.chunks(2) {
        match pair {
            ["--minutes", number] => minutes = number,
            ["--old", path] => old = Some(std::path::absolute(path)?),
            _ => bail!("{}: unknown, or without a value", pair[0]),
        }
    }
    let old = match old {
        Some(path) => path,
        None => build_old()?,
    };
    let old = old
        .to_str()
        .context("the path of the older binary is not UTF-8")?;
    run(&["upgrade", "--minutes", minutes, "--old", old])
}

/// Builds the older binary. The checkout and the build stay for the next time.
fn build_old() -> Result<PathBuf> {
    let folder = shell::root().join(UPGRADE);
    let sources = folder.join(OLD);
    if !sources.join("Cargo.toml").exists() {
        fs::create_dir_all(&folder)?;
        // `--force` creates a worktree again if git knows it, but its folder is gone.
        let line = "git worktree add --force --quiet --detach";
        let failure =
            format!("{OLD} can't be checked out: this copy of the repository must have it");
        shell::succeed(shell::command(line).arg(&sources).arg(OLD), &failure)?;
    }
    let target = folder.join("target");
    let mut build = shell::command("cargo build --quiet --locked -p stead-cli");
    build.current_dir(&sources).env("CARGO_TARGET_DIR", &target);
    shell::succeed(&mut build, &format!("{OLD} can't be built"))?;
    Ok(target.join("debug/stead"))
}
