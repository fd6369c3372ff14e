//! Chaos: the real service is killed, starved and stopped, and must neither lose what it had read nor stand still.
//!
//! `cargo xtask chaos` builds the binary with its failpoints and runs this. Each scenario stands by itself: a product with
//! its books, a service with a database file of its own, and users who are connected through the public API.

#![expect(clippy::print_stdout, reason = "its output is what a run is for")]

mod books;
mod check;
mod connections;
mod database;
mod events;
mod fault;
mod http_client;
mod journeys;
mod load;
mod product;
mod report;
mod scenarios;
mod service;
mod stage;
mod time;

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Result, bail};
use futures_util::{StreamExt as _, stream};
use serde_json::json;

use report::Report;
use scenarios::{SCENARIOS, Scenario};

/// What `cargo xtask chaos` builds.
const BINARY: &str = "target/chaos/stead";

const USAGE: &str = "\
stead-chaos [--smoke] [--json] [--seed NUMBER] [--binary STEAD] [--old STEAD] [--minutes NUMBER] [NAME…]

  --smoke   the short form of each scenario, and only those that are quick
  --seed    the numbers that a run draws follow from it; printed, and drawn from the time unless given
  --json    prints one JSON object per scenario
  --binary  the service, built with the feature `failpoints`
  --old     an older one, for the scenario `upgrade`
  --minutes how long both versions are called there; 10 unless given

Exit code 1 where something that must hold does not.";

/// How the scenarios are run.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) binary: PathBuf,
    pub(crate) smoke: bool,
    pub(crate) seed: u64,
    /// An older service, and how long both are called.
    pub(crate) old: Option<PathBuf>,
    pub(crate) minutes: u64,
    json: bool,
    names: Vec<String>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<bool> {
    let options = options(std::env::args().skip(1))?;
    if !options.binary.exists() {
        bail!(
            "{} is missing; `cargo xtask chaos` builds it",
            options.binary.display()
        );
    }
    for name in &options.names {
        if !SCENARIOS.iter().any(|scenario| scenario.name == name) {
            let names: Vec<&str> = SCENARIOS.iter().map(|scenario| scenario.name).collect();
            bail!(
                "there is no scenario {name}; there are {}",
                names.join(", ")
            );
        }
    }
    if !options.json {
        println!("seed {}", options.seed);
    }
    let asked = |scenario: &&Scenario| match options.names.as_slice() {
        [] => scenario.in_smoke || !options.smoke,
        names => names.iter().any(|name| name == scenario.name),
    };
    let asked = SCENARIOS.iter().filter(asked);
    // Most of a scenario is waiting, so some can run at the same time; what is measured runs by itself.
    let all_short = options.smoke && options.names.is_empty();
    let lanes = if all_short { 3 } else { 1 };
    let reports: Vec<Report> = stream::iter(asked)
        .map(|scenario| one(scenario, &options))
        .buffered(lanes)
        .inspect(|report| {
            if options.json {
                println!("{}", report.json());
            } else {
                report.lines().iter().for_each(|line| println!("{line}"));
            }
        })
        .collect()
        .await;
    let passed = reports.iter().all(Report::passes);
    if options.json {
        println!("{}", json!({ "seed": options.seed, "passed": passed }));
    } else {
        table(&reports);
    }
    Ok(passed)
}

async fn one(scenario: &Scenario, options: &Options) -> Report {
    let began = time::now();
    let mut report = Report::new(scenario.name);
    if let Err(error) = (scenario.run)(options, &mut report).await {
        report.violation(format!("{error:#}"));
    }
    report.took = began.elapsed();
    report.what = scenario.what;
    report
}

fn table(reports: &[Report]) {
    println!("\nscenario            result    seconds");
    for report in reports {
        println!(
            "{:<19} {:<10} {:>7.1}",
            report.name,
            report.result(),
            report.took.as_secs_f64()
        );
    }
    let count = |result: &str| {
        let of = |report: &&Report| report.result() == result;
        reports.iter().filter(of).count()
    };
    println!(
        "{} ok, {} broken, {} left out",
        count("ok"),
        count("BROKEN"),
        count("left out")
    );
}

fn options(arguments: impl Iterator<Item = String>) -> Result<Options> {
    let mut options = Options {
        binary: PathBuf::from(BINARY),
        smoke: false,
        seed: seed(),
        old: None,
        minutes: 10,
        json: false,
        names: Vec::new(),
    };
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--smoke" => options.smoke = true,
            "--json" => options.json = true,
            "--seed" | "--binary" | "--old" | "--minutes" => {
                let Some(value) = arguments.next() else {
                    bail!("{argument} needs a value\n\n{USAGE}");
                };
                match argument.as_str() {
                    "--seed" => options.seed = value.parse()?,
                    "--minutes" => options.minutes = value.parse()?,
                    "--old" => options.old = Some(value.into()),
                    _ => options.binary = value.into(),
                }
            }
            flag if flag.starts_with('-') => bail!("{flag} is unknown\n\n{USAGE}"),
            _ => options.names.push(argument),
        }
    }
    Ok(options)
}

/// Another one in every run.
#[expect(
    clippy::disallowed_methods,
    reason = "a seed that is printed may come from the time of day"
)]
fn seed() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(1, |since| since.as_secs() % 1_000_000)
}
