//! What is measured, and its rounds.

use std::{process::Command, slice};

use anyhow::{Context as _, Result};

use super::{
    h2load,
    load::{Load, Sample},
    process::Running,
    programs,
    stage::Stage,
    table::Measured,
};

type Run<'a> = Box<dyn Fn(u32, u32) -> Result<Sample> + 'a>;

/// What is measured: requests, and the process whose time they cost.
pub(crate) struct Subject<'a> {
    name: String,
    /// For so many connections and seconds.
    run: Run<'a>,
}

impl<'a> Subject<'a> {
    /// Requests over HTTP/1.1 to a process.
    pub(crate) fn new(
        name: impl Into<String>,
        stage: &'a Stage,
        process: &'a Running,
        load: Load,
    ) -> Self {
        Self::shared(name, stage, slice::from_ref(process), load)
    }

    /// The same to processes that share a port.
    pub(crate) fn shared(
        name: impl Into<String>,
        stage: &'a Stage,
        processes: &'a [Running],
        load: Load,
    ) -> Self {
        let run = move |connections, seconds| {
            of_processes(processes, || {
                load.run(&stage.wrk, &stage.folder, connections, seconds)
            })
        };
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }

    /// The same requests over one connection of HTTP/2, with as many at a time.
    pub(crate) fn http2(
        name: impl Into<String>,
        (stage, program): (&'a Stage, &'a std::path::Path),
        process: &'a Running,
        load: Load,
    ) -> Self {
        let run = move |streams, seconds| {
            of_processes(slice::from_ref(process), || {
                h2load::run(&load, program, &stage.folder, streams, seconds)
            })
        };
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }

    /// A program that calls by itself and prints what came of it.
    pub(crate) fn program(
        name: impl Into<String>,
        command: impl Fn(u32, u32) -> Command + 'a,
    ) -> Self {
        let run = move |connections, seconds| {
            let text = programs::output(&mut command(connections, seconds))?;
            Sample::read(&text).with_context(|| format!("it prints no result: {text}"))
        };
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }
}

/// The two with which others are compared.
pub(crate) fn baselines<'a>(stage: &'a Stage, path: &str) -> Vec<Subject<'a>> {
    let direct = Load::get(stage.stub_ports.http1, path);
    let nginx = Load::get(stage.rival_ports.http1, path);
    vec![
        Subject::new("direct to the stub", stage, &stage.stub, direct),
        Subject::new("nginx, adds a bearer token", stage, &stage.rival, nginx),
    ]
}

fn of_processes(processes: &[Running], run: impl FnOnce() -> Result<Sample>) -> Result<Sample> {
    let cpu_seconds = || {
        processes
            .iter()
            .map(Running::cpu_seconds)
            .sum::<Result<f64>>()
    };
    let before = cpu_seconds()?;
    let mut sample = run()?;
    sample.cpu_seconds = cpu_seconds()? - before;
    sample.resident_bytes = processes
        .iter()
        .map(Running::resident_bytes)
        .sum::<Result<u64>>()?;
    Ok(sample)
}

/// Every subject in every round; the samples of one subject stand together. A response has `least` bytes or more.
pub(crate) fn measure(
    stage: &Stage,
    what: &str,
    concurrency: u32,
    least: usize,
    subjects: &[Subject<'_>],
) -> Result<Vec<Measured>> {
    let mut samples: Vec<Measured> = subjects
        .iter()
        .map(|subject| (subject.name.clone(), Vec::new()))
        .collect();
    for round in 0..=stage.options.rounds {
        // Round 0 fills pools and caches and is not counted.
        let seconds = if round == 0 { 1 } else { stage.options.seconds };
        for (subject, (name, samples)) in subjects.iter().zip(&mut samples) {
            let sample = (subject.run)(concurrency, seconds)
                .with_context(|| format!("cannot measure {name}"))?;
            sample
                .check(least)
                .with_context(|| format!("{name} does not respond as it should"))?;
            if round > 0 {
                println!(
                    "{what}, concurrency {concurrency}, round {round}: {name}: {:.0} requests/s",
                    sample.per_second()
                );
                samples.push(sample);
            }
        }
    }
    Ok(samples)
}
