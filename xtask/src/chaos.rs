//! `cargo xtask chaos`: builds the service with its failpoints, and runs `tests/chaos` against it. `cargo xtask upgrade`: the
//! same with an older service next to it, on one PostgreSQL under load.

use std::{fs, path::PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::shell;

/// The binary with its failpoints, apart from the one that other commands build.
const BINARY: &str = "target/chaos/stead";
/// The commit whose binary plays the older version: the first with PostgreSQL.
const OLD: &str = "2781acd";
/// Where it is checked out and built.
const UPGRADE: &str = "target/upgrade";

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
    let mut chaos = shell::command("cargo run --quiet --locked -p stead-chaos -- --binary");
    shell::succeed(chaos.arg(BINARY).args(options), "not everything holds")
}

/// Runs both for some minutes.
///
/// # Errors
/// Where one cannot be built, or something that must hold does not.
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

/// The older binary. What is checked out and built stays for the next time.
fn build_old() -> Result<PathBuf> {
    let folder = shell::root().join(UPGRADE);
    let sources = folder.join(OLD);
    if !sources.join("Cargo.toml").exists() {
        fs::create_dir_all(&folder)?;
        // One that is known and gone is made again.
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
