//! `cargo xtask bench`: what a call through Stead costs, next to nginx doing the least that could be called the same.
//!
//! A stub (nginx with fixed responses) plays the products. Each round measures every subject once, one after the other,
//! so that a slow moment of the machine falls on all of them alike; what is shown is the median of the rounds.

mod accounts;
mod bodies;
mod bound;
mod calls;
mod disk;
mod fair;
mod fetch;
mod h2load;
mod http;
mod http2;
mod instructions;
mod load;
mod memory;
mod nginx;
mod others;
mod postgres;
mod process;
mod programs;
mod report;
mod responses;
mod stage;
mod start;
mod stead;
mod store;
mod subject;
mod table;
mod train;

use std::{net::TcpListener, path::PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use crate::release;
pub(crate) use others::{copy, dashboard, history, scenario};
use programs::Missing;
use stage::Stage;
pub(crate) use train::train;

/// A section of the report.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    run: fn(&Stage) -> Result<String>,
}

const fn part(name: &'static str, title: &'static str, run: fn(&Stage) -> Result<String>) -> Part {
    Part { name, title, run }
}

/// In the order in which they run: first those that need a database without history.
pub(crate) const PARTS: [Part; 10] = [
    part("start", "Start and memory at rest", start::run),
    part("calls", "Calls of 1 KB", calls::run),
    part("http2", "Calls over HTTP/2", http2::run),
    part("bodies", "Larger bodies", bodies::run),
    part("fetch", "A tool of 21 requests", fetch::run),
    part("fair", "Fairness", fair::run),
    part("memory", "Memory over many calls", memory::run),
    part("disk", "Bytes on disk", disk::run),
    part("accounts", "From 10 accounts to a million", accounts::run),
    part(
        "instructions",
        "Instructions of the core path",
        instructions::run,
    ),
];

/// How long and what is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    rounds: usize,
    seconds: u32,
    /// Calls after which memory and disk are looked at.
    calls: u64,
    /// The most accounts.
    accounts: usize,
}

const FULL: Options = Options {
    rounds: 5,
    seconds: 10,
    calls: 1_000_000,
    accounts: 1_000_000,
};

const SHORT: Options = Options {
    rounds: 3,
    seconds: 3,
    calls: 100_000,
    accounts: 20_000,
};

/// What the command line says.
struct Asked {
    options: Options,
    is_short: bool,
    /// What `cargo xtask release` makes is measured.
    is_trained: bool,
    only: Vec<String>,
    /// Instead of a release that is built first.
    binary: Option<PathBuf>,
    /// Measured in the same rounds, to be compared with.
    against: Option<PathBuf>,
}

/// Measures, prints each part, and writes the report unless the run is a short one or compares two binaries.
///
/// # Errors
/// Where a part fails otherwise than by a program that is missing; the others are measured nevertheless.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let asked = Asked::read(arguments)?;
    // A comparison or a quick look is not what the report is for.
    let is_written = !asked.is_short && asked.against.is_none();
    let commit = match asked.binary {
        Some(_) => String::from("a binary that was given"),
        None if asked.is_trained => format!("{}, by `cargo xtask release`", report::commit()),
        None => report::commit(),
    };
    let binary = match asked.binary {
        Some(path) => path,
        None if asked.is_trained => release::make(&[], train)?,
        None => release::plain()?,
    };
    let stage = Stage::open(asked.options, binary, asked.against)?;
    let mut sections = Vec::new();
    let mut failed = Vec::new();
    for part in &PARTS {
        if !asked.only.is_empty() && !asked.only.iter().any(|name| name == part.name) {
            continue;
        }
        println!("\n# {}: {}", part.name, part.title);
        let text = match (part.run)(&stage) {
            Ok(text) => format!("{}\n\n{text}", report::circumstances(&stage, &commit)),
            Err(error) if error.is::<Missing>() => format!("Not measured: {error}."),
            Err(error) => {
                println!("failed: {error:#}");
                failed.push(part.name);
                continue;
            }
        };
        println!("\n{text}");
        sections.push((part, text));
        // A run that is cut off keeps what it has measured.
        if is_written {
            report::write(&sections)?;
        }
    }
    ensure!(failed.is_empty(), "not measured: {}", failed.join(", "));
    Ok(())
}

impl Asked {
    fn read(arguments: &[&str]) -> Result<Self> {
        let is_short = arguments.contains(&"--short");
        let mut asked = Self {
            options: if is_short { SHORT } else { FULL },
            is_short,
            is_trained: arguments.contains(&"--trained"),
            only: Vec::new(),
            binary: None,
            against: None,
        };
        let options = &mut asked.options;
        let mut arguments = arguments
            .iter()
            .filter(|one| !["--short", "--trained"].contains(one));
        while let Some(option) = arguments.next() {
            let value = *arguments
                .next()
                .with_context(|| format!("{option} needs a value"))?;
            match *option {
                "--rounds" => options.rounds = value.parse()?,
                "--seconds" => options.seconds = value.parse()?,
                "--calls" => options.calls = value.parse()?,
                "--accounts" => options.accounts = value.parse()?,
                "--binary" => asked.binary = Some(std::path::absolute(value)?),
                "--against" => asked.against = Some(std::path::absolute(value)?),
                "--only" => asked.only = value.split(',').map(str::to_owned).collect(),
                _ => bail!("there is no option {option}"),
            }
        }
        let names = PARTS.map(|part| part.name);
        for name in &asked.only {
            ensure!(
                names.contains(&name.as_str()),
                "there is no part {name}; there are {}",
                names.join(", ")
            );
        }
        Ok(asked)
    }
}

/// A port on which nothing listens at this moment; nginx cannot choose one itself.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let asked = Asked::read(&["--only", "calls,start", "--short", "--seconds", "1"]).unwrap();
        assert!(!asked.is_trained && Asked::read(&["--trained"]).unwrap().is_trained);
        assert_eq!(asked.only, ["calls", "start"]);
        assert!(asked.is_short);
        assert_eq!((asked.options.rounds, asked.options.seconds), (3, 1));
        for wrong in [&["--only", "cals"][..], &["--rounds"], &["--round", "1"]] {
            assert!(Asked::read(wrong).is_err(), "{wrong:?}");
        }
    }
}
