//! `cargo xtask bench` compares Stead with nginx that adds a bearer token, and with another binary of Stead.
//!
//! A stub (nginx with a fixed response of 1 KB) plays the product. Each round measures every subject once, so a slow
//! phase of the machine affects all of them alike. The tables show the medians of the rounds.

mod figures;
mod load;
mod parts;
mod process;
mod service;
mod stage;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail, ensure};

use crate::{
    install::{self, Program},
    shell,
};
use stage::Stage;

type Part = (&'static str, fn(&Stage) -> Result<String>);

/// The parts, in the order in which they run.
const PARTS: [Part; 5] = [
    ("start", parts::start),
    ("calls", parts::calls),
    ("memory", parts::memory),
    ("disk", parts::disk),
    ("accounts", parts::accounts),
];

/// What to measure, and for how long.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    rounds: usize,
    seconds: u32,
    /// How many calls the parts `memory` and `disk` make.
    calls: u64,
    /// The largest number of accounts.
    accounts: usize,
    /// The parts to run. Empty means all.
    only: Vec<String>,
    /// The binary to measure. Without it, the bench builds a release.
    binary: Option<PathBuf>,
    /// Another binary to compare with, in the same rounds.
    against: Option<PathBuf>,
}

/// Measures, and prints each part as Markdown.
///
/// # Errors
/// If wrk or nginx is missing, or a call fails.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let options = Options::read(arguments)?;
    let missing = install::missing(&[Program::new("wrk"), Program::new("nginx")]);
    ensure!(missing.is_empty(), "install {}", missing.join(" and "));
    let binary = match &options.binary {
        Some(path) => path.clone(),
        None => shell::built(&mut shell::command(
            "cargo build --release --locked -p stead-cli",
        ))?,
    };
    println!(
        "{}, {} rounds of {} s, {}",
        binary.display(),
        options.rounds,
        options.seconds,
        process::processor(),
    );
    let stage = Stage::open(options, binary)?;
    for (name, part) in PARTS {
        if stage.options.only.is_empty() || stage.options.only.iter().any(|one| one == name) {
            let text = part(&stage).with_context(|| format!("cannot measure {name}"))?;
            println!("\n## {name}\n\n{text}");
        }
    }
    Ok(())
}

impl Options {
    fn read(arguments: &[&str]) -> Result<Self> {
        let is_short = arguments.contains(&"--short");
        let mut options = Self {
            rounds: if is_short { 3 } else { 5 },
            seconds: if is_short { 3 } else { 10 },
            calls: if is_short { 100_000 } else { 1_000_000 },
            accounts: if is_short { 20_000 } else { 1_000_000 },
            only: Vec::new(),
            binary: None,
            against: None,
        };
        let mut arguments = arguments.iter().filter(|one| **one != "--short");
        while let Some(option) = arguments.next() {
            let value = arguments.next();
            let value = value.with_context(|| format!("{option} needs a value"))?;
            match *option {
                "--rounds" => options.rounds = value.parse()?,
                "--seconds" => options.seconds = value.parse()?,
                "--calls" => options.calls = value.parse()?,
                "--accounts" => options.accounts = value.parse()?,
                "--binary" => options.binary = Some(std::path::absolute(value)?),
                "--against" => options.against = Some(std::path::absolute(value)?),
                "--only" => options.only = value.split(',').map(str::to_owned).collect(),
                _ => bail!("there is no option {option}"),
            }
        }
        ensure!(
            options.accounts > stage::ACCOUNTS,
            "--accounts needs more than {}",
            stage::ACCOUNTS
        );
        let names = PARTS.map(|(name, _)| name);
        for name in &options.only {
            ensure!(
                names.contains(&name.as_str()),
                "there is no part {name}; the parts are {}",
                names.join(", ")
            );
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let arguments = ["--only", "calls,start", "--short", "--seconds", "1"];
        let options = Options::read(&arguments).unwrap();
        assert_eq!(options.only, ["calls", "start"]);
        assert_eq!((options.rounds, options.seconds), (3, 1));
        for (wrong, says) in [
            (&["--only", "cals"][..], "there is no part cals"),
            (&["--rounds"], "--rounds needs a value"),
            (&["--round", "1"], "there is no option --round"),
            (&["--accounts", "9"], "--accounts needs more than 10000"),
        ] {
            let error = Options::read(wrong).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
