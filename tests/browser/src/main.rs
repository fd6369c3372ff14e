//! Journeys through the dashboard and users' pages in a real browser.
//!
//! `cargo xtask browser` builds the binary, finds Chromium and its driver, and runs this. Each journey has its own
//! service.

#![expect(clippy::print_stdout, reason = "its output is what a run is for")]

mod application;
mod browser;
mod journeys;
mod look;
mod readme;
mod service;
mod stage;
mod walk;

use std::{path::PathBuf, process::ExitCode, time::Instant};

use anyhow::{Result, bail};

use self::{
    browser::Driver,
    journeys::JOURNEYS,
    stage::{Settings, Stage},
};

const USAGE: &str = "\
stead-browser [--smoke] [--binary STEAD] [--screenshots FOLDER] [--axe FILE] [--readme FOLDER] [JOURNEY…]

  --smoke        only the short journeys
  --binary       the service
  --screenshots  writes a picture of each page that a journey looks at: light and dark, 375 px and 1440 px wide
  --readme       writes the two pictures of README into this folder, and makes no journey
  --axe          axe.min.js of the npm package axe-core; with it each page is checked for accessibility

Exit code 1 where a journey does not reach its end.";

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
    let mut settings = Settings::default();
    let (mut smoke, mut names, mut readme) = (false, Vec::new(), None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().map(PathBuf::from);
        match argument.as_str() {
            "--smoke" => smoke = true,
            "--binary" => settings.binary = value().unwrap_or_default(),
            "--screenshots" => settings.screenshots = value(),
            "--readme" => readme = value(),
            "--axe" => settings.axe = value().map(std::fs::read_to_string).transpose()?,
            name if JOURNEYS.iter().any(|journey| journey.name == name) => names.push(argument),
            _ => {
                let names: Vec<&str> = JOURNEYS.iter().map(|journey| journey.name).collect();
                bail!(
                    "{argument}: unknown\n\n{USAGE}\n\nJourneys: {}",
                    names.join(", ")
                );
            }
        }
    }
    if !settings.binary.exists() {
        bail!(
            "there is no {}; `cargo xtask browser` builds it",
            settings.binary.display()
        );
    }
    let driver = Driver::start().await?;
    if let Some(folder) = readme {
        let stage = Stage::new(&driver, &settings, "readme").await?;
        readme::pictures(&stage, &folder).await?;
        stage.end().await?;
        return Ok(true);
    }
    let mut failed = 0;
    for journey in JOURNEYS {
        let asked = match names.as_slice() {
            [] => journey.in_smoke || !smoke,
            names => names.iter().any(|name| name == journey.name),
        };
        if !asked {
            continue;
        }
        let began = now();
        let stage = Stage::new(&driver, &settings, journey.name).await?;
        let outcome = (journey.run)(&stage).await;
        let outcome = match outcome {
            Ok(()) => stage.faults_found(),
            Err(error) => Err(error.context(stage.where_it_stands().await)),
        };
        stage.end().await?;
        let seconds = began.elapsed().as_secs_f64();
        match outcome {
            Ok(()) => println!(
                "ok      {:<20} {seconds:5.1} s  {}",
                journey.name, journey.what
            ),
            Err(error) => {
                failed += 1;
                println!("FAILED  {:<20} {seconds:5.1} s  {error:#}", journey.name);
            }
        }
    }
    Ok(failed == 0)
}

/// The time now, to measure how long a journey takes.
#[expect(clippy::disallowed_methods, reason = "a run has no runtime port")]
fn now() -> Instant {
    Instant::now()
}
