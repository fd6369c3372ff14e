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
pub(crate) use programs::needed;
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
    /// What that one is, for the report.
    label: Option<String>,
    /// Measured in the same rounds, to be compared with.
    against: Option<PathBuf>,
}

/// Measures, prints each part, and writes the report unless the run is a short one or compares two binaries.
///
/// # Errors
/// Where a part fails otherwise than by a program that is missing; the others are measured nevertheless.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let asked = Asked::read(arguments)?;
    // A build is long, and nothing is measured without these.
    needed()?;
    let is_written = asked.is_written();
    let what = match (&asked.label, &asked.binary) {
        (Some(label), _) => label.clone(),
        (None, Some(path)) => path.display().to_string(),
        (None, None) if asked.is_trained => format!("trained release of {}", report::commit()),
        (None, None) => format!("plain release of {}", report::commit()),
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
            Ok(text) => format!("{}\n\n{text}", report::circumstances(&stage, &what)),
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
    /// A comparison or a quick look is not what the report is for.
    fn is_written(&self) -> bool {
        !self.is_short && self.against.is_none()
    }

    fn read(arguments: &[&str]) -> Result<Self> {
        let is_short = arguments.contains(&"--short");
        let mut asked = Self {
            options: if is_short { SHORT } else { FULL },
            is_short,
            is_trained: arguments.contains(&"--trained"),
            only: Vec::new(),
            binary: None,
            label: None,
            against: None,
        };
        let options = &mut asked.options;
        let mut arguments = arguments
            .iter()
            .filter(|one| !["--short", "--trained"].contains(one));
        while let Some(option) = arguments.next() {
            let mut value = || {
                let value = arguments.next();
                value.with_context(|| format!("{option} needs a value"))
            };
            match *option {
                "--rounds" => options.rounds = value()?.parse()?,
                "--seconds" => options.seconds = value()?.parse()?,
                "--calls" => options.calls = value()?.parse()?,
                "--accounts" => options.accounts = value()?.parse()?,
                "--binary" => asked.binary = Some(std::path::absolute(value()?)?),
                "--label" => asked.label = Some((*value()?).to_owned()),
                "--against" => asked.against = Some(std::path::absolute(value()?)?),
                "--only" => asked.only = value()?.split(',').map(str::to_owned).collect(),
                _ => bail!("there is no option {option}; parts are named by --only"),
            }
        }
        ensure!(
            asked.binary.is_none() || !asked.is_trained,
            "--trained builds what is measured: --binary has no place there"
        );
        ensure!(
            asked.binary.is_some() || asked.label.is_none(),
            "--label says what --binary is, which is missing"
        );
        ensure!(
            asked.binary.is_none() || asked.label.is_some() || !asked.is_written(),
            "the report has to say what --binary is: --label, such as \"trained release of 1a2b3c4d\""
        );
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
        let own = ["--binary", "a", "--label", "trained release of 1a2b3c4d"];
        assert!(Asked::read(&own).unwrap().is_written());
        for (wrong, says) in [
            (&["--only", "cals"][..], "there is no part cals"),
            (&["--rounds"], "--rounds needs a value"),
            (&["--round", "1"], "there is no option --round"),
            (&["memory"], "there is no option memory"),
            (&["--trained", "--binary", "a"], "--binary has no place"),
            (&["--binary", "a"], "--label"),
            (&["--label", "a"], "--binary is, which is missing"),
        ] {
            let error = Asked::read(wrong).err().map(|error| error.to_string());
            assert!(error.is_some_and(|error| error.contains(says)), "{wrong:?}");
        }
        for printed in [&["--short"][..], &["--against", "b"]] {
            assert!(Asked::read(&[&["--binary", "a"], printed].concat()).is_ok());
        }
    }
}
