//! `cargo xtask shells`: the programs that a newcomer has and that the tests of the journeys start.

use std::{env, process::Stdio};

use anyhow::{Result, bail};

use crate::shell;

/// The shells, and what the pasted lines call.
const PROGRAMS: [&str; 3] = ["bash", "zsh", "curl"];
/// Without it the journeys are pasted into the other shell only.
const OPTIONAL: &str = "zsh";
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

/// Installs what is missing, where this user may. What cannot be installed is named; with `all` it is a failure.
///
/// # Errors
/// When something is still missing then that the tests cannot do without.
pub(crate) fn run(all: bool) -> Result<()> {
    let commands = INSTALLERS.iter().find(|(client, _)| found(client));
    for command in commands.map_or(&[][..], |(_, commands)| commands) {
        let missing = missing(&PROGRAMS);
        if missing.is_empty() {
            return Ok(());
        }
        println!("missing: {}", missing.join(", "));
        let mut command = shell::command(command);
        if !command.get_args().any(|argument| argument == "update") {
            command.args(&missing);
        }
        // Whether it worked is seen by what is there afterwards.
        let _ = command.stdin(Stdio::null()).status();
    }
    match missing(&PROGRAMS).as_slice() {
        [] => Ok(()),
        [OPTIONAL] if !all => {
            println!("left out: journeys in {OPTIONAL}, which is not installed");
            Ok(())
        }
        missing => bail!(
            "install {}, into which the tests paste the journeys of README and `stead dev`",
            missing.join(", ")
        ),
    }
}

fn missing<'a>(programs: &[&'a str]) -> Vec<&'a str> {
    let missing = programs.iter().filter(|program| !found(program));
    missing.copied().collect()
}

fn found(program: &str) -> bool {
    env::var_os("PATH")
        .is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_in_the_path_is_missing() {
        assert_eq!(
            missing(&["sh", "no-such-program-here"]),
            ["no-such-program-here"]
        );
    }
}
