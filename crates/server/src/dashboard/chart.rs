//! Positions of the bars and lines of charts.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

/// Bars over time, on a height of 100.
#[derive(Debug, Serialize)]
pub(super) struct Bars {
    width: usize,
    bars: Vec<Bar>,
    /// The values of the top line and the middle line.
    most: u64,
    half: Option<u64>,
    /// Times below the chart.
    labels: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Bar {
    title: String,
    slot: usize,
    x: f64,
    good_y: f64,
    good_height: f64,
    bad_y: f64,
    bad_height: f64,
}

/// The counts of one bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) start: Timestamp,
    pub(super) good: u64,
    pub(super) bad: u64,
}

/// Width of a bar with the gap after it.
const SLOT: usize = 10;

impl Bars {
    /// A bar for each count. `step` is the time between two bars.
    pub(super) fn new(counts: &[Count], step: SignedDuration) -> Self {
        let highest = counts.iter().map(|count| count.good + count.bad).max();
        let most = round_up(highest.unwrap_or(0).max(4));
        // Counts are small enough for the picture to be exact.
        let height = |calls: u64| calls as f64 * 100.0 / most as f64;
        let bars = counts.iter().enumerate().map(|(index, count)| {
            let (good, bad) = (height(count.good), height(count.bad));
            Bar {
                title: format!(
                    "{} to {}: {} succeeded, {} failed",
                    count.start.strftime("%-d %b %H:%M"),
                    count
                        .start
                        .saturating_add(step)
                        .unwrap_or(count.start)
                        .strftime("%H:%M UTC"),
                    count.good,
                    count.bad
                ),
                slot: index * SLOT,
                x: (index * SLOT) as f64 + 1.5,
                good_y: 100.0 - good,
                good_height: good,
                bad_y: 100.0 - good - bad,
                bad_height: bad,
            }
        });
        Self {
            width: counts.len().max(1) * SLOT,
            bars: bars.collect(),
            most,
            half: most.is_multiple_of(2).then_some(most / 2),
            labels: counts
                .iter()
                .step_by((counts.len() / 4).max(1))
                .map(|count| count.start.to_string())
                .collect(),
        }
    }
}

/// Lines over time, on a height of 100. A line has gaps where there are no values.
#[derive(Debug, Serialize)]
pub(super) struct Lines {
    width: usize,
    /// The lines, each as a path.
    paths: Vec<String>,
}

impl Lines {
    /// Lines of heights between 0 and 1, all of the same length.
    pub(super) fn new(lines: &[Vec<Option<f64>>]) -> Self {
        let places = lines.iter().map(Vec::len).max().unwrap_or(0);
        let paths = lines.iter().map(|line| {
            let mut path = String::new();
            let mut is_drawn = false;
            for (index, height) in line.iter().enumerate() {
                let Some(height) = height else {
                    is_drawn = false;
                    continue;
                };
                let (left, y) = (index * SLOT, 100.0 - height * 100.0);
                // A value covers its whole interval.
                let go = if is_drawn { "L" } else { "M" };
                path += &format!("{go}{left} {y:.1}H{}", left + SLOT);
                is_drawn = true;
            }
            path
        });
        Self {
            width: places.max(1) * SLOT,
            paths: paths.collect(),
        }
    }
}

/// The next of 4, 10, 20, 40, 100, …, so that half of it is also a whole number.
fn round_up(number: u64) -> u64 {
    let mut ten: u64 = 1;
    loop {
        for step in [4, 10, 20] {
            let most = ten.saturating_mul(step);
            if most >= number {
                return most;
            }
        }
        ten = ten.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bar_fits_and_parts_of_a_bar_are_stacked() {
        let start = Timestamp::UNIX_EPOCH;
        let bars = Bars::new(
            &[
                Count {
                    start,
                    good: 6,
                    bad: 2,
                },
                Count {
                    start,
                    good: 0,
                    bad: 0,
                },
            ],
            SignedDuration::from_hours(1),
        );
        assert_eq!((bars.most, bars.half, bars.width), (10, Some(5), 20));
        let bar = &bars.bars[0];
        assert_eq!((bar.good_y, bar.good_height), (40.0, 60.0));
        assert_eq!((bar.bad_y, bar.bad_height), (20.0, 20.0));
        assert_eq!(
            [0, 4, 5, 11, 21, 41, 999].map(round_up),
            [4, 4, 10, 20, 40, 100, 1000]
        );
    }
}
