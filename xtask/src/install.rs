//! Programs that tests start, installed by the client of the system's packages where this user may.

use std::{env, fs, path::PathBuf, process::Stdio};

use crate::shell;

/// A program, and the packages that hold it under another name: by the client that installs them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) packages: &'static [(&'static str, &'static str)],
}

impl Program {
    /// A program whose package has its name everywhere.
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

/// What installs a package without a question, by the client of the package system that it begins with. A list that is
/// out of date is read again first.
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

/// Installs what is missing, where this user may; returns what is missing then.
pub(crate) fn missing_after_install(programs: &[Program]) -> Vec<&'static str> {
    let installer = INSTALLERS.iter().find(|(client, _)| found(client));
    let (client, commands) = installer.copied().unwrap_or(("", &[]));
    for command in commands {
        let missing: Vec<&Program> = programs.iter().filter(|one| !found(one.name)).collect();
        if missing.is_empty() {
            return Vec::new();
        }
        let packages: Vec<&str> = missing.iter().map(|one| one.package(client)).collect();
        println!("missing: {}", packages.join(", "));
        let mut command = shell::command(command);
        if !command.get_args().any(|argument| argument == "update") {
            command.args(&packages);
        }
        // Whether it worked is seen by what is there afterwards.
        let _ = command.stdin(Stdio::null()).status();
    }
    missing(programs)
}

/// Programs that are not in the path, nor where the system keeps its own.
pub(crate) fn missing(programs: &[Program]) -> Vec<&'static str> {
    let missing = programs.iter().filter(|program| !found(program.name));
    missing.map(|program| program.name).collect()
}

/// Debian keeps those of PostgreSQL out of the path, and a user's path has no programs of the system.
fn found(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let servers = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin")])
        .chain(servers.flatten().map(|server| server.path().join("bin")))
        .any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_in_the_path_is_missing() {
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
