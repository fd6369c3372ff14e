//! `cargo xtask book` builds the book in `docs`. `cargo xtask docs` runs the code blocks of its pages.

use anyhow::{Result, ensure};

use crate::{
    install::{self, Program, missing_after_install},
    shell,
};

/// The folders of MkDocs and of the packages that the blocks need.
const MKDOCS: &str = "target/docs/book";
const PYTHON: &str = "target/docs/python";
const NODE: &str = "target/docs/node";
/// The programs that the blocks and their shells need.
const PROGRAMS: [Program; 4] = [
    Program::new("bash"),
    Program::new("zsh"),
    Program::new("curl"),
    Program::new("jq"),
];

/// Builds the book into `target/book`, or serves it with `--serve`. With `--all`, a missing Python is a failure.
///
/// # Errors
/// If the book has a warning, such as a dead link.
pub(crate) fn build(options: &[&str]) -> Result<()> {
    let installed = install::packages(MKDOCS, "docs/requirements.txt");
    if !install::is_there(installed, "the book", options)? {
        return Ok(());
    }
    let command = if options.contains(&"--serve") {
        "serve"
    } else {
        "build --strict"
    };
    let mut mkdocs = shell::command(&format!("{MKDOCS}/bin/mkdocs {command}"));
    // Silences the advertisement for MkDocs 2.
    mkdocs.env("NO_MKDOCS_2_WARNING", "1");
    shell::succeed(&mut mkdocs, "the book has faults")?;
    println!("target/book/index.html");
    Ok(())
}

/// Runs the blocks of these pages or folders below `docs`, or of all pages, against `stead dev`. With `--all`, missing
/// programs are a failure.
///
/// # Errors
/// If a block fails.
pub(crate) fn run_blocks(options: &[&str]) -> Result<()> {
    if !install::is_there(install_programs(), "the blocks of the book", options)? {
        return Ok(());
    }
    let pages = options.iter().filter(|option| **option != "--all");
    let python = format!("{PYTHON}/bin/python");
    shell::run(&format!("{python} tests/docs/cases.py"))?;
    shell::build()?;
    let mut run = shell::command(&format!("{python} tests/docs/run.py --node {NODE}"));
    run.args(["--stead", "target/debug/stead"]);
    run.args(["--rust", "target/debug/stead-docs"]).args(pages);
    shell::succeed(&mut run, "not every block of the book works")
}

fn install_programs() -> Result<()> {
    let missing = missing_after_install(&PROGRAMS);
    ensure!(missing.is_empty(), "not installed: {}", missing.join(", "));
    install::packages(PYTHON, "tests/docs/requirements.txt")?;
    install::packages(NODE, "tests/docs/package.json")
}
