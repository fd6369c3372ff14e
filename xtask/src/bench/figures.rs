//! Samples of several rounds, a table of their medians, and their bounds.

use anyhow::{Context as _, Result};

use super::{
    load::{Load, Sample},
    process::Running,
    stage::Stage,
};

/// Requests and the process that answers them.
pub(crate) struct Subject<'a> {
    pub(crate) name: String,
    pub(crate) process: &'a Running,
    pub(crate) load: Load,
}

/// The samples of all subjects. The others are compared with the first one.
pub(crate) struct Measured(Vec<(String, Vec<Sample>)>);

/// Sends each subject's load in every round.
///
/// # Errors
/// If a request fails.
pub(crate) fn measure(
    stage: &Stage,
    concurrency: u32,
    subjects: &[Subject<'_>],
) -> Result<Measured> {
    let mut measured: Vec<_> = subjects
        .iter()
        .map(|one| (one.name.clone(), Vec::new()))
        .collect();
    for round in 0..=stage.options.rounds {
        // Round 0 only fills pools and caches.
        let seconds = if round == 0 { 1 } else { stage.options.seconds };
        for (
            Subject {
                name,
                process,
                load,
            },
            (_, samples),
        ) in subjects.iter().zip(&mut measured)
        {
            let before = process.cpu_seconds()?;
            let mut sample = load
                .run(&stage.folder, concurrency, seconds)
                .with_context(|| name.clone())?;
            sample.cpu_us = (process.cpu_seconds()? - before) * 1e6 / sample.requests;
            sample.mib = process.mib("VmRSS:")?;
            if round > 0 {
                println!(
                    "concurrency {concurrency}, round {round}: {name}: {:.0} requests/s",
                    sample.per_second
                );
                samples.push(sample);
            }
        }
    }
    Ok(Measured(measured))
}

impl Measured {
    /// A Markdown table of the subjects' medians. The ratio to the first subject is in parentheses.
    pub(crate) fn table(&self) -> Result<String> {
        let mut table = String::from(
            "| subject | requests/s | p50 ms | p99 ms | CPU us per call | MiB |\n|---|---|---|---|---|---|\n",
        );
        let (first, _) = self.0.first().context("nothing is measured")?;
        for (name, _) in &self.0 {
            let figures: [fn(&Sample) -> f64; 5] = [
                |one| one.per_second,
                |one| one.p50_ms,
                |one| one.p99_ms,
                |one| one.cpu_us,
                |one| one.mib,
            ];
            table += &format!("| {name} |");
            for figure in figures {
                let own = self.median(name, figure)?;
                table += &format!(
                    " {} ({:.2}) |",
                    shown(own),
                    own / self.median(first, figure)?
                );
            }
            table += "\n";
        }
        Ok(table)
    }

    /// The ratio of two subjects' CPU per call: the median over all rounds.
    ///
    /// # Errors
    /// If one of them wasn't measured.
    pub(crate) fn cpu_ratio(&self, name: &str, other: &str) -> Result<f64> {
        let rounds = self.samples(name)?.iter().zip(self.samples(other)?);
        Ok(median(rounds.map(|(one, other)| one.cpu_us / other.cpu_us)))
    }

    fn median(&self, name: &str, figure: fn(&Sample) -> f64) -> Result<f64> {
        Ok(median(self.samples(name)?.iter().map(figure)))
    }

    fn samples(&self, name: &str) -> Result<&[Sample]> {
        let found = self.0.iter().find(|(of, _)| of == name);
        let (_, samples) = found.with_context(|| format!("{name} is not measured"))?;
        Ok(samples)
    }
}

/// A line that says whether a figure is within its bound. Figures depend on the machine, so a run doesn't fail by them.
pub(crate) fn at_most(bound: f64, what: &str, figure: f64) -> String {
    let missed = if figure <= bound { "" } else { ", **missed**" };
    format!("- {what}: {}, at most {bound}{missed}\n", shown(figure))
}

/// Formats a figure with at least three digits.
pub(crate) fn shown(figure: f64) -> String {
    let digits = match figure.abs() {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{figure:.digits$}")
}

pub(crate) fn median(figures: impl IntoIterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.into_iter().collect();
    figures.sort_by(f64::total_cmp);
    match figures.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => figures[odd / 2],
        even => f64::midpoint(figures[even / 2 - 1], figures[even / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_value() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median([]).is_nan());
    }

    #[test]
    fn a_table_and_ratios_compare_round_by_round() {
        let rounds = |cpu: [f64; 3]| {
            cpu.map(|cpu_us| Sample {
                per_second: 1e6 / cpu_us,
                cpu_us,
                p50_ms: 1.0,
                p99_ms: 2.0,
                mib: 8.0,
                ..Sample::default()
            })
            .to_vec()
        };
        let measured = Measured(vec![
            ("nginx".to_owned(), rounds([10.0, 10.0, 10.0])),
            ("stead".to_owned(), rounds([20.0, 40.0, 10.0])),
        ]);
        let table = measured.table().unwrap();
        assert!(
            table.ends_with(
                "| stead | 50000 (0.50) | 1.00 (1.00) | 2.00 (1.00) | 20.0 (2.00) | 8.00 (1.00) |\n"
            ),
            "{table}"
        );
        assert_eq!(measured.cpu_ratio("stead", "nginx").unwrap(), 2.0);
        assert!(measured.cpu_ratio("stead", "other").is_err());
    }

    #[test]
    fn a_bound_that_is_missed_says_so() {
        assert_eq!(at_most(2.7, "CPU", 2.0), "- CPU: 2.00, at most 2.7\n");
        assert_eq!(
            at_most(2.7, "CPU", 20.04),
            "- CPU: 20.0, at most 2.7, **missed**\n"
        );
        assert!(at_most(2.7, "CPU", f64::NAN).contains("missed"));
    }
}
