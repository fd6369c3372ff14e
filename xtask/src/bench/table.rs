//! Medians, as a table.

use std::fmt::Write as _;

use super::load::Sample;

/// The subject that the others are compared with.
const MEASURE: usize = 1;

/// A Markdown table of the subjects' medians; the ratios are to the second subject, nginx.
pub(crate) fn of(concurrency: u32, subjects: &[(String, Vec<Sample>)]) -> String {
    let rows: Vec<Row> = subjects
        .iter()
        .map(|(_, samples)| Row::of(samples))
        .collect();
    let measure = &rows[MEASURE];
    let mut table = format!("concurrency {concurrency}\n\n");
    table.push_str(
        "| subject | requests/s | of nginx | p50 ms | p99 ms | CPU us per call | x nginx |\n",
    );
    table.push_str("|---|---|---|---|---|---|---|");
    for ((name, _), row) in subjects.iter().zip(&rows) {
        let _ = write!(
            table,
            "\n| {name} | {:.0} | {:.0}% | {:.2} ({:.2}x) | {:.2} ({:.2}x) | {:.1} | {:.2} |",
            row.per_second,
            100.0 * row.per_second / measure.per_second,
            row.p50 / 1e3,
            row.p50 / measure.p50,
            row.p99 / 1e3,
            row.p99 / measure.p99,
            row.cpu,
            row.cpu / measure.cpu,
        );
    }
    table
}

/// How one subject compares to another that was measured in the same rounds: the median of the rounds' ratios.
pub(crate) fn ratio(subject: &(String, Vec<Sample>), other: &(String, Vec<Sample>)) -> String {
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

struct Row {
    per_second: f64,
    p50: f64,
    p99: f64,
    cpu: f64,
}

impl Row {
    fn of(samples: &[Sample]) -> Self {
        let median_of =
            |figure: fn(Sample) -> f64| median(samples.iter().copied().map(figure).collect());
        Self {
            per_second: median_of(Sample::per_second),
            p50: median_of(|sample| sample.p50_micros),
            p99: median_of(|sample| sample.p99_micros),
            cpu: median_of(Sample::cpu_micros),
        }
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
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
    fn ratios_are_to_nginx() {
        let subjects = [
            ("direct", 4000, 100.0),
            ("nginx", 2000, 200.0),
            ("stead", 1000, 300.0),
        ]
        .map(|(name, requests, micros)| (name.to_owned(), vec![sample(requests, micros)]));
        let table = of(32, &subjects);
        assert!(
            table.ends_with("| stead | 1000 | 50% | 0.30 (1.50x) | 3.00 (1.50x) | 1000.0 | 2.00 |"),
            "{table}"
        );
        assert!(
            table.contains("| nginx | 2000 | 100% | 0.20 (1.00x) |"),
            "{table}"
        );
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
            ..Sample::default()
        }
    }
}
