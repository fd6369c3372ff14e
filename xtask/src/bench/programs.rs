//! Programs of this machine that measure, or are compared with.

use std::{
    fmt,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, bail};

/// A program that is not installed: what needs it is not measured, and the report says so.
#[derive(Debug)]
pub(crate) struct Missing {
    name: &'static str,
    package: &'static str,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is missing. To install it on Debian: apt-get install {}",
            self.name, self.package
        )
    }
}

impl std::error::Error for Missing {}

impl Missing {
    pub(crate) const fn new(name: &'static str, package: &'static str) -> Self {
        Self { name, package }
    }
}

/// What every part needs: wrk and nginx.
pub(crate) fn needed() -> Result<[PathBuf; 2], Missing> {
    Ok([find("wrk", "wrk")?, find("nginx", "nginx-light")?])
}

/// Where a program is.
pub(crate) fn find(name: &'static str, package: &'static str) -> Result<PathBuf, Missing> {
    let folders = [
        "/usr/local/bin",
        "/usr/local/sbin",
        "/usr/bin",
        "/usr/sbin",
        "/opt/homebrew/bin",
    ];
    let found = folders
        .iter()
        .map(|folder| PathBuf::from(folder).join(name))
        .find(|path| path.exists());
    found.ok_or(Missing { name, package })
}

/// What a program says of its version: the first word with a number; wrk says it and fails.
pub(crate) fn version(program: &Path, option: &str) -> String {
    let output = Command::new(program).arg(option).output();
    let text = output.map(|output| [output.stdout, output.stderr].concat());
    let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
    let words = text.lines().next().unwrap_or_default().split_whitespace();
    let mut words = words.map(|word| word.rsplit('/').next().unwrap_or_default());
    words
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))
        .unwrap_or("of unknown version")
        .to_owned()
}

/// Runs a program to its end, and gives what it prints.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output()?;
    if !output.status.success() {
        bail!(
            "{:?} failed: {}{}",
            command.get_program(),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_says_how_to_install_it() {
        let error = find("no-such-program", "some-package").unwrap_err();
        assert!(error.to_string().ends_with("apt-get install some-package"));
    }

    #[test]
    fn a_version_is_one_word() {
        assert_eq!(
            version(Path::new("echo"), "a debian/4.1.0-3 [b]"),
            "4.1.0-3"
        );
        assert_eq!(
            version(Path::new("/no/such/program"), "-v"),
            "of unknown version"
        );
    }
}
