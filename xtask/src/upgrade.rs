//! `cargo xtask upgrade`: a binary of an earlier commit next to today's, on one PostgreSQL under load (`tests/chaos`).

use std::{fs, path::PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::{chaos, shell};

/// The commit whose binary plays the older version: the first with PostgreSQL.
const OLD: &str = "2781acd";
/// Where it is checked out and built.
const FOLDER: &str = "target/upgrade";

/// Runs both for some minutes.
///
/// # Errors
/// Where one cannot be built, or something that must hold does not.
pub(crate) fn run(options: &[&str]) -> Result<()> {
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
        None => build()?,
    };
    let old = old
        .to_str()
        .context("the path of the older binary is not UTF-8")?;
    chaos::run(&["upgrade", "--minutes", minutes, "--old", old])
}

/// The older binary. What is checked out and built stays for the next time.
fn build() -> Result<PathBuf> {
    let folder = shell::root().join(FOLDER);
    let sources = folder.join(OLD);
    if !sources.join("Cargo.toml").exists() {
        fs::create_dir_all(&folder)?;
        // One that is known and gone is made again.
        let line = "git worktree add --force --quiet --detach";
        let status = shell::command(line).arg(&sources).arg(OLD).status()?;
        if !status.success() {
            bail!("{OLD} cannot be checked out: it has to be in this copy of the repository");
        }
    }
    let target = folder.join("target");
    let status = shell::command("cargo build --quiet --locked -p stead-cli")
        .current_dir(&sources)
        .env("CARGO_TARGET_DIR", &target)
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("{OLD} cannot be built");
    }
    Ok(target.join("debug/stead"))
}
