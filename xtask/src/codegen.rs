//! `cargo xtask codegen`: files that are made from the code: the pages of `docs/reference/`, and the inputs of the demo.

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::shell;

/// What is done with a page that differs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It is written.
    Write,
    /// It is a failure.
    Check,
}

/// The generated files: the command that prints one, and where it goes.
const FILES: &[(&str, &str)] = &[
    (
        "target/debug/stead reference errors",
        "docs/reference/errors.md",
    ),
    (
        "target/debug/stead reference tools",
        "docs/reference/tools.md",
    ),
    ("target/debug/stead reference cli", "docs/reference/cli.md"),
    (
        "target/debug/stead reference configuration",
        "docs/reference/configuration.md",
    ),
    (
        "target/debug/stead reference events",
        "docs/reference/events.md",
    ),
    (
        "target/debug/stead reference rest",
        "docs/reference/rest.md",
    ),
    (
        "target/debug/examples/fixtures --first crates/products",
        "crates/cli/src/commands/demo/cases.json",
    ),
];

/// Writes or compares every page.
///
/// # Errors
/// Where a page cannot be made or written; with [`Mode::Check`] also where one is not as the code would make it, with
/// the command that fixes it.
pub(crate) fn run(mode: Mode) -> Result<()> {
    shell::build()?;
    let mut stale = Vec::new();
    for (command, path) in FILES {
        let made = shell::output(command)?;
        let file = shell::root().join(path);
        let found = fs::read_to_string(&file).unwrap_or_default();
        match difference(&found, &made) {
            None => println!("{path} is as the code makes it"),
            Some(difference) if mode == Mode::Check => stale.push(format!("{path}, {difference}")),
            Some(_) => {
                fs::write(&file, made).with_context(|| format!("cannot write {path}"))?;
                println!("{path} is written");
            }
        }
    }
    if !stale.is_empty() {
        bail!(
            "not as the code makes it:\n{}\n\nTo fix it: cargo xtask codegen",
            stale.join("\n")
        );
    }
    Ok(())
}

/// The first line in which two pages differ.
fn difference(found: &str, made: &str) -> Option<String> {
    if found == made {
        return None;
    }
    let (mut old, mut new) = (found.lines(), made.lines());
    for number in 1.. {
        match (old.next(), new.next()) {
            (None, None) => break,
            (old, new) if old == new => {}
            (old, new) => {
                let [old, new] = [old, new].map(|line| line.unwrap_or("(nothing)"));
                return Some(format!(
                    "line {number}:\n  is:        {old}\n  should be: {new}"
                ));
            }
        }
    }
    Some("line ends".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(
            difference("a\nb\n", "a\nc\n").unwrap(),
            "line 2:\n  is:        b\n  should be: c"
        );
        assert_eq!(
            difference("", "a\n").unwrap(),
            "line 1:\n  is:        (nothing)\n  should be: a"
        );
        assert_eq!(
            difference("a\nb\n", "a\n").unwrap(),
            "line 2:\n  is:        b\n  should be: (nothing)"
        );
        assert_eq!(difference("a\n", "a").unwrap(), "line ends");
        assert_eq!(difference("a\r\n", "a\n").unwrap(), "line ends");
    }
}
