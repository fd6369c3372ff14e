//! `cargo xtask shells`: the programs that a newcomer has and that the tests of the journeys start.

use std::{
    env,
    process::{Command, Stdio},
};

use anyhow::{Result, bail};

/// The shells, and what the pasted lines call.
const PROGRAMS: [&str; 3] = ["bash", "zsh", "curl"];
/// Clients of package systems, with what installs a package without a question.
const INSTALLERS: [(&str, &[&str]); 4] = [
    ("apt-get", &["install", "-y", "--no-install-recommends"]),
    ("dnf", &["install", "-y"]),
    ("apk", &["add"]),
    ("brew", &["install"]),
];

/// Installs what is missing, where this user may.
///
/// # Errors
/// When something is still missing then, with its name.
pub(crate) fn run() -> Result<()> {
    let missing = missing(&PROGRAMS);
    if missing.is_empty() {
        return Ok(());
    }
    println!("missing: {}", missing.join(", "));
    if let Some((client, arguments)) = INSTALLERS.iter().find(|(client, _)| found(client)) {
        // Whether it worked is seen by what is there afterwards.
        let _ = Command::new(client)
            .args(*arguments)
            .args(&missing)
            .stdin(Stdio::null())
            .status();
    }
    match self::missing(&PROGRAMS).as_slice() {
        [] => Ok(()),
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
