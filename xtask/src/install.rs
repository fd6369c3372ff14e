//! Installs the programs and packages that tests need, if this user may.

use std::{env, fs, path::PathBuf, process::Stdio};

use anyhow::{Result, bail};

use crate::shell;

/// A program, and its packages that have another name: each with the package manager that uses it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) packages: &'static [(&'static str, &'static str)],
}

impl Program {
    /// A program whose package has the same name everywhere.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            packages: &[],
        }
    }

    fn package(&self, client: &str) -> &'static str {
        let other = self.packages.iter().find(|(of, _)| *of == client);
        other.map_or(self.name, |(_, package)| package)
    }
}

/// Commands that install packages without asking, by package manager. apt-get may first have to update its list.
const INSTALLERS: [(&str, &[&str]); 4] = [
    (
        "apt-get",
        &[
            "apt-get install -y --no-install-recommends",
            "apt-get update",
            "apt-get install -y --no-install-recommends",
        ],
    ),
    ("dnf", &["dnf install -y"]),
    ("apk", &["apk add"]),
    ("brew", &["brew install"]),
];

/// Installs missing programs if this user may. Returns the programs that are still missing.
pub(crate) fn missing_after_install(programs: &[Program]) -> Vec<&'static str> {
    let installer = INSTALLERS.iter().find(|(client, _)| found(client));
    let (client, commands) = installer.copied().unwrap_or(("", &[]));
    for command in commands {
        let missing: Vec<&Program> = programs.iter().filter(|one| !found(one.name)).collect();
        if missing.is_empty() {
            return Vec::new();
        }
        let names: Vec<&str> = missing.iter().map(|one| one.package(client)).collect();
        println!("missing: {}", names.join(", "));
        let mut command = shell::command(command);
        if !command.get_args().any(|argument| argument == "update") {
            command.args(&names);
        }
        // The programs that exist afterwards show whether it worked.
        let _ = command.stdin(Stdio::null()).status();
    }
    missing(programs)
}

/// Programs that are neither in the path nor in the system's own folders.
pub(crate) fn missing(programs: &[Program]) -> Vec<&'static str> {
    let missing = programs.iter().filter(|program| !found(program.name));
    missing.map(|program| program.name).collect()
}

/// Debian keeps PostgreSQL's programs out of the path, and a user's path may lack the system's.
fn found(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let servers = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin")])
        .chain(servers.flatten().map(|server| server.path().join("bin")))
        .any(|folder| folder.join(program).is_file())
}

/// The shells in which tests paste the journeys of README and `stead dev`, and the program that the lines call.
const SHELLS: [Program; 3] = [
    Program::new("bash"),
    Program::new(OPTIONAL),
    Program::new("curl"),
];
/// Without it, the journeys are pasted into the other shell only.
const OPTIONAL: &str = "zsh";

/// `cargo xtask shells`: installs the shells of the journeys. With `all`, none may be missing.
///
/// # Errors
/// If one is missing that the tests can't do without, or with `all` any one.
pub(crate) fn shells(all: bool) -> Result<()> {
    match missing_after_install(&SHELLS).as_slice() {
        [] => Ok(()),
        [OPTIONAL] => shell::not_checked(&format!("journeys in {OPTIONAL}"), all),
        missing => bail!("install {}", missing.join(", ")),
    }
}

const NPM: Program = Program::new("npm");
const PYTHON: Program = Program {
    name: "python3",
    packages: &[("apt-get", "python3-venv")],
};

/// Whether the installation worked. If it didn't, `what` is noted as not checked, or is a failure with `--all`.
///
/// # Errors
/// If it didn't work, with `--all`.
pub(crate) fn is_there(installed: Result<()>, what: &str, options: &[&str]) -> Result<bool> {
    let all = options.contains(&"--all");
    match installed {
        Err(error) => shell::not_checked(&format!("{what} ({error:#})"), all).map(|()| false),
        Ok(()) => Ok(true),
    }
}

/// Installs the packages of `list` into `folder`, unless they're installed already. A `package.json` makes
/// `node_modules`, from its lock file if it has one. A `requirements.txt` makes a virtual environment.
///
/// # Errors
/// If the package manager can't be installed either, or fails.
pub(crate) fn packages(folder: &str, list: &str) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_outside_the_path_are_missing() {
        let programs = [Program::new("sh"), Program::new("no-such-program-here")];
        assert_eq!(missing(&programs), ["no-such-program-here"]);
    }

    #[test]
    fn a_package_can_have_another_name() {
        let program = Program {
            name: "chromedriver",
            packages: &[("apt-get", "chromium-driver")],
        };
        assert_eq!(program.package("apt-get"), "chromium-driver");
        assert_eq!(program.package("dnf"), "chromedriver");
    }
}
