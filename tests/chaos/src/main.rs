//! Chaos tests kill, starve and stop the real service. It must keep every token that it has read, and must recover.
//!
//! `cargo xtask chaos` builds the binary with its failpoints and runs this. Each scenario is independent: it has a
//! product with its books, a service with its own database, and users connected through the public API.

#![expect(clippy::print_stdout, reason = "its output is what a run is for")]

mod books;
mod check;
mod connections;
mod database;
mod disk;
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
mod visitors;

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Result, bail};
use clap::{Parser, builder::PossibleValuesParser};
use futures_util::{StreamExt as _, stream};
use serde_json::json;

use report::Report;
use scenarios::{SCENARIOS, Scenario};

/// The binary that `cargo xtask chaos` builds.
const BINARY: &str = "target/chaos/stead";

/// Kills, starves and stops the service, and fails if it loses tokens or doesn't recover.
#[derive(Debug, Parser)]
#[command(name = "stead-chaos")]
pub(crate) struct Options {
    /// The service, built with the feature `failpoints`.
    #[arg(long, default_value = BINARY)]
    pub(crate) binary: PathBuf,
    /// Run the short form of each scenario, and only the quick scenarios.
    #[arg(long)]
    pub(crate) smoke: bool,
    /// Seed of the random numbers. Comes from the current time if absent.
    #[arg(long, default_value_t = seed())]
    pub(crate) seed: u64,
    /// An older service, for the scenario `upgrade`.
    #[arg(long)]
    pub(crate) old: Option<PathBuf>,
    /// How many minutes that scenario calls both versions.
    #[arg(long, default_value_t = 10)]
    pub(crate) minutes: u64,
    /// Print one JSON object per scenario.
    #[arg(long)]
    json: bool,
    /// The scenarios to run. All if absent.
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(SCENARIOS.map(|one| one.name)))]
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
    let options = Options::parse();
    if !options.binary.exists() {
        bail!(
            "{} is missing; `cargo xtask chaos` builds it",
            options.binary.display()
        );
    }
    if !options.json {
        println!("seed {}", options.seed);
    }
    let asked = |scenario: &&Scenario| match options.names.as_slice() {
        [] => scenario.in_smoke || !options.smoke,
        names => names.iter().any(|name| name == scenario.name),
    };
    let asked = SCENARIOS.iter().filter(asked);
    // Short scenarios mostly wait, so they can share the machine. The long ones measure, so each runs alone.
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

/// A seed that differs in every run.
#[expect(
    clippy::disallowed_methods,
    reason = "a seed that is printed may come from the time of day"
)]
fn seed() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(1, |since| since.as_secs() % 1_000_000)
}
