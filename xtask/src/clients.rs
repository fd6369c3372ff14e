//! `cargo xtask clients`: installs the products' own SDKs into `target/clients`, and runs `tests/clients` with them.

use std::{fs, path::Path, process::Stdio};

use anyhow::{Context as _, Result, bail};

use crate::shell;

/// Where the packages are installed; gone with `target`.
const FOLDER: &str = "target/clients";

/// An interpreter with the packages that its scripts need.
struct Language {
    name: &'static str,
    /// What must be there before.
    needs: &'static str,
    /// Says which packages; installed again when it changes.
    packages: &'static str,
    install: &'static [&'static str],
    program: &'static str,
    scripts: &'static [&'static str],
}

const LANGUAGES: [Language; 2] = [
    Language {
        name: "python",
        needs: "python3 -m venv --help",
        packages: "tests/clients/python/requirements.txt",
        install: &[
            "python3 -m venv target/clients/python",
            "target/clients/python/bin/pip install --quiet --disable-pip-version-check --requirement tests/clients/python/requirements.txt",
        ],
        program: "target/clients/python/bin/python",
        scripts: &[
            "tests/clients/python/google_api.py",
            "tests/clients/python/notion.py",
            "tests/clients/python/snowflake.py",
        ],
    },
    Language {
        name: "node",
        needs: "npm --version",
        packages: "tests/clients/node/package.json",
        install: &[
            "mkdir -p target/clients/node",
            "cp tests/clients/node/package.json target/clients/node",
            "npm install --prefix target/clients/node --no-audit --no-fund --loglevel=error",
        ],
        program: "node",
        scripts: &[
            "tests/clients/node/googleapis.cjs",
            "tests/clients/node/notion.cjs",
        ],
    },
];

/// Runs every SDK that can be run here. What is missing is named; with `all` it is a failure.
///
/// # Errors
/// Where an SDK does not pass.
pub(crate) fn run(all: bool) -> Result<()> {
    fs::create_dir_all(shell::root().join(FOLDER))?;
    let mut lines = vec![String::from("sh tests/clients/curl.sh")];
    let mut missing = Vec::new();
    for language in &LANGUAGES {
        match install(language) {
            Ok(()) => lines.extend(
                language
                    .scripts
                    .iter()
                    .map(|script| format!("{} {script}", language.program)),
            ),
            Err(error) => missing.push(format!("{}: {error:#}", language.name)),
        }
    }
    let status = shell::command("cargo run --quiet --locked -p stead-clients --")
        .args(lines)
        .env("NODE_PATH", "target/clients/node/node_modules")
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("not every client passes");
    }
    for missing in &missing {
        println!("left out: {missing}");
    }
    if all && !missing.is_empty() {
        bail!("not every client could be installed");
    }
    Ok(())
}

/// Installs the packages of a language, unless these are installed already.
fn install(language: &Language) -> Result<()> {
    let packages = fs::read(shell::root().join(language.packages))?;
    let folder = shell::root().join(FOLDER);
    let installed = folder.join(Path::new(language.name).with_extension("installed"));
    if fs::read(&installed).is_ok_and(|before| before == packages) {
        return Ok(());
    }
    let there = shell::command(language.needs)
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !there {
        bail!("`{}` does not work here", language.needs);
    }
    println!("installing the packages of {}", language.packages);
    for line in language.install {
        shell::run(line)?;
    }
    fs::write(installed, packages)?;
    Ok(())
}
