//! Medians, as a table.

use std::fmt::Write as _;

use super::{bound::shown, load::Sample};

/// A subject's name, and its samples of all rounds.
pub(crate) type Measured = (String, Vec<Sample>);

/// The subjects that all others are compared with.
const DIRECT: usize = 0;
pub(crate) const NGINX: usize = 1;

/// Medians of a subject.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figures {
    pub(crate) per_second: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// Microseconds for a call.
    pub(crate) cpu: f64,
    resident: f64,
}

/// A Markdown table of the subjects' medians; what is in parentheses is the ratio to the second subject, nginx, and to the
/// first, the stub without anything in between.
pub(crate) fn of(subjects: &[Measured]) -> String {
    let rows: Vec<Figures> = subjects
        .iter()
        .map(|(_, samples)| Figures::of(samples))
        .collect();
    let mut table = String::from(
        "| subject | requests/s | p50 ms | p99 ms | CPU us per call | memory MiB |\n|---|---|---|---|---|---|",
    );
    for ((name, _), row) in subjects.iter().zip(&rows) {
        let cell = |figure: fn(&Figures) -> f64| {
            let own = figure(row);
            let to = |other: usize| shown(own / figure(&rows[other]));
            format!("{} ({}; {})", shown(own), to(NGINX), to(DIRECT))
        };
        let _ = write!(
            table,
            "\n| {name} | {} | {} | {} | {} | {} |",
            cell(|row| row.per_second),
            cell(|row| row.p50 / 1e3),
            cell(|row| row.p99 / 1e3),
            cell(|row| row.cpu),
            cell(|row| row.resident / 1024.0 / 1024.0),
        );
    }
    table
}

/// How one subject compares to another that was measured in the same rounds: the median of the rounds' ratios.
pub(crate) fn ratio(subject: &Measured, other: &Measured) -> String {
    let of = |figure: fn(Sample) -> f64| {
        let rounds = subject.1.iter().zip(&other.1);
        median(rounds.map(|(a, b)| figure(*a) / figure(*b)).collect())
    };
    format!(
        "{} to {}: requests/s {:.3}x, p50 {:.3}x, p99 {:.3}x, CPU {:.3}x",
        subject.0,
        other.0,
        of(Sample::per_second),
        of(|sample| sample.p50_micros),
        of(|sample| sample.p99_micros),
        of(Sample::cpu_micros),
    )
}

impl Figures {
    pub(crate) fn of(samples: &[Sample]) -> Self {
        let median_of =
            |figure: fn(Sample) -> f64| median(samples.iter().copied().map(figure).collect());
        Self {
            per_second: median_of(Sample::per_second),
            p50: median_of(|sample| sample.p50_micros),
            p99: median_of(|sample| sample.p99_micros),
            cpu: median_of(Sample::cpu_micros),
            resident: median_of(|sample| sample.resident_bytes as f64),
        }
    }
}

/// The figures of the subject of this name.
pub(crate) fn figures(subjects: &[Measured], name: &str) -> Option<Figures> {
    let found = subjects.iter().find(|(of, _)| of == name)?;
    Some(Figures::of(&found.1))
}

pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    match figures.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => figures[odd / 2],
        even => (figures[even / 2 - 1] + figures[even / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_stands_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn ratios_are_to_nginx_and_to_direct() {
        let subjects = [
            ("direct", 4000, 100.0),
            ("nginx", 2000, 200.0),
            ("stead", 1000, 300.0),
        ]
        .map(|(name, requests, micros)| (name.to_owned(), vec![sample(requests, micros)]));
        let table = of(&subjects);
        assert!(
            table.ends_with(
                "| stead | 1000 (0.50; 0.25) | 0.30 (1.50; 3.00) | 3.00 (1.50; 3.00) | 1000 (2.00; 4.00) | 8.00 (1.00; 1.00) |"
            ),
            "{table}"
        );
        assert_eq!(figures(&subjects, "nginx").unwrap().per_second, 2000.0);
        assert!(figures(&subjects, "other").is_none());
    }

    #[test]
    fn two_binaries_are_compared_round_by_round() {
        let new = vec![sample(1000, 100.0), sample(500, 200.0), sample(2000, 50.0)];
        let old = vec![
            sample(1000, 100.0),
            sample(1000, 100.0),
            sample(1000, 100.0),
        ];
        assert_eq!(
            ratio(&("stead".to_owned(), new), &("other".to_owned(), old)),
            "stead to other: requests/s 1.000x, p50 1.000x, p99 1.000x, CPU 1.000x"
        );
    }

    fn sample(requests: u64, micros: f64) -> Sample {
        Sample {
            requests,
            seconds: 1.0,
            p50_micros: micros,
            p99_micros: micros * 10.0,
            cpu_seconds: 1.0,
            resident_bytes: 8 << 20,
            ..Sample::default()
        }
    }
}
