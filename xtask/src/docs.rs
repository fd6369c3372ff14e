//! `cargo xtask docs`: runs the blocks of the book's pages against a `stead dev`.

use std::{fs, path::PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::{
    install::{Program, missing_after_install},
    packages, shell,
};

const PYTHON: &str = "target/docs/python";
const NODE: &str = "target/docs/node";
const JQ: Program = Program::new("jq");

/// Runs the blocks of these pages; without any, of those of Start and of the products' SDKs, and with `--all` of every page
/// whose blocks must run. What is missing is named, and is a failure with `--all`.
///
/// # Errors
/// If a block fails.
pub(crate) fn run(options: &[&str]) -> Result<()> {
    let all = options.contains(&"--all");
    let named = options.iter().filter(|option| !option.starts_with("--"));
    let mut pages: Vec<PathBuf> = named.map(PathBuf::from).collect();
    if pages.is_empty() {
        pages.extend(pages_of("start")?);
        if all {
            pages.extend(pages_of("build")?);
            pages.extend(pages_of("recipes")?);
            pages.push(PathBuf::from("docs/run/one-server.md"));
        } else {
            pages.push(PathBuf::from("docs/build/sdks.md"));
        }
    }
    let installed = packages::install(PYTHON, "tests/docs/requirements.txt")
        .and_then(|()| packages::install(NODE, "tests/docs/package.json"))
        .and_then(|()| match missing_after_install(&[JQ])[..] {
            [missing, ..] => bail!("{missing} is not installed"),
            [] => Ok(()),
        });
    if let Err(error) = installed {
        if all {
            return Err(error);
        }
        return shell::left_out(&format!("the blocks of the book ({error:#})"));
    }
    shell::build()?;
    let python = |script: &str| {
        let mut command = shell::command(&format!("{PYTHON}/bin/python tests/docs/{script}.py"));
        command.env("NODE", shell::root().join(NODE));
        command
    };
    let [cases, blocks] = [python("cases"), python("run")];
    for mut command in [cases, blocks] {
        if command.get_args().any(|script| script == "tests/docs/run.py") {
            command.args(["--stead", "target/debug/stead", "--rust", "target/debug/stead-docs"]);
            command.args(["--node", NODE]).args(&pages);
        }
        let status = command.status().context("cannot start python")?;
        if !status.success() {
            bail!("the book's blocks don't work as printed");
        }
    }
    Ok(())
}

/// The pages of a folder, in their order.
fn pages_of(folder: &str) -> Result<Vec<PathBuf>> {
    let folder = PathBuf::from("docs").join(folder);
    let files = fs::read_dir(shell::root().join(&folder))?;
    let mut pages = Vec::new();
    for file in files {
        pages.push(folder.join(file?.file_name()));
    }
    pages.sort();
    Ok(pages)
}
