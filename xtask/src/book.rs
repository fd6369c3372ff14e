//! `cargo xtask book`: builds the book over `docs`, as `mkdocs.yml` says.

use anyhow::{Context as _, Result, ensure};

use crate::{packages, shell};

/// Where MkDocs is installed.
const PYTHON: &str = "target/docs/book";

/// Builds the book into `target/book`, or serves it with `--serve`. With `--all`, a Python that isn't there is a failure.
///
/// # Errors
/// If the book has a warning, such as a dead link.
pub(crate) fn run(options: &[&str]) -> Result<()> {
    let installed = packages::install(PYTHON, "docs/requirements.txt");
    if !packages::is_there(installed, "the book", options)? {
        return Ok(());
    }
    let command = if options.contains(&"--serve") {
        "serve"
    } else {
        "build --strict"
    };
    let status = shell::command(&format!("{PYTHON}/bin/mkdocs {command}"))
        // The packages advertise a successor.
        .env("NO_MKDOCS_2_WARNING", "1")
        .status()
        .context("cannot start MkDocs")?;
    ensure!(status.success(), "the book has faults");
    println!("target/book/index.html");
    Ok(())
}
