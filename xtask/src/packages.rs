//! Packages of Python and Node, installed below `target` as a file of theirs pins them.

use std::fs;

use anyhow::{Result, bail};

use crate::{
    install::{Program, missing_after_install},
    shell,
};

const NPM: Program = Program::new("npm");
const PYTHON: Program = Program {
    name: "python3",
    packages: &[("apt-get", "python3-venv")],
};

/// Whether what was to be installed is there. If it isn't, `what` is noted as left out, or with `--all` is a failure.
///
/// # Errors
/// If it isn't there, with `--all`.
pub(crate) fn is_there(installed: Result<()>, what: &str, options: &[&str]) -> Result<bool> {
    match installed {
        Err(error) if options.contains(&"--all") => Err(error),
        Err(error) => shell::left_out(&format!("{what} ({error:#})")).map(|()| false),
        Ok(()) => Ok(true),
    }
}

/// Installs the packages of `list` into `folder`, unless these are installed already. A `package.json` makes `node_modules`
/// there, by the lock file next to it if it has one. A `requirements.txt` makes a virtual environment.
///
/// # Errors
/// If the packages' client can't be installed either, or fails.
pub(crate) fn install(folder: &str, list: &str) -> Result<()> {
    let root = shell::root();
    let lock = list.replace("package.json", "package-lock.json");
    let has_lock = lock != list && root.join(&lock).exists();
    let packages = fs::read(root.join(if has_lock { &lock } else { list }))?;
    let installed = root.join(format!("{folder}.installed"));
    if fs::read(&installed).is_ok_and(|before| before == packages) {
        return Ok(());
    }
    let is_node = list.ends_with("package.json");
    if let [missing, ..] = missing_after_install(&[if is_node { NPM } else { PYTHON }])[..] {
        bail!("{missing} is not installed");
    }
    println!("installing the packages of {list}");
    fs::create_dir_all(root.join(folder))?;
    if is_node {
        shell::run(&format!("cp {list} {folder}"))?;
        let command = if has_lock {
            shell::run(&format!("cp {lock} {folder}"))?;
            "ci"
        } else {
            "install"
        };
        shell::run(&format!(
            "npm {command} --prefix {folder} --no-audit --no-fund --loglevel=error"
        ))?;
    } else {
        shell::run(&format!("python3 -m venv {folder}"))?;
        shell::run(&format!(
            "{folder}/bin/pip install --quiet --disable-pip-version-check --requirement {list}"
        ))?;
    }
    fs::write(installed, packages)?;
    Ok(())
}
