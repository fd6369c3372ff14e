//! `cargo xtask docs`: runs the blocks of the book's pages against `stead dev`.

use anyhow::{Context as _, Result, bail, ensure};

use crate::{
    install::{Program, missing_after_install},
    packages, shell,
};

/// Where the packages of the blocks are installed.
const PYTHON: &str = "target/docs/python";
const NODE: &str = "target/docs/node";
/// The programs that the blocks and their shells need.
const PROGRAMS: [Program; 4] = [
    Program::new("bash"),
    Program::new("zsh"),
    Program::new("curl"),
    Program::new("jq"),
];

/// Runs the blocks of these pages or folders below `docs`, or of all pages. With `--all`, what is missing is a failure.
///
/// # Errors
/// If a block fails.
pub(crate) fn run(options: &[&str]) -> Result<()> {
    if !packages::is_there(install(), "the blocks of the book", options)? {
        return Ok(());
    }
    let pages = options.iter().filter(|option| **option != "--all");
    let python = format!("{PYTHON}/bin/python");
    shell::run(&format!("{python} tests/docs/cases.py"))?;
    shell::build()?;
    let status = shell::command(&format!("{python} tests/docs/run.py --node {NODE}"))
        .args(["--stead", "target/debug/stead"])
        .args(["--rust", "target/debug/stead-docs"])
        .args(pages)
        .status()
        .context("cannot start Python")?;
    ensure!(status.success(), "not every block of the book works");
    Ok(())
}

fn install() -> Result<()> {
    let missing = missing_after_install(&PROGRAMS);
    if !missing.is_empty() {
        bail!("not installed: {}", missing.join(", "));
    }
    packages::install(PYTHON, "tests/docs/requirements.txt")?;
    packages::install(NODE, "tests/docs/package.json")
}
