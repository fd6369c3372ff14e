//! Counters and histograms. Each number is an atomic, so counting needs no locks or allocations.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use super::family::Buckets;

/// A number that only increases.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add_one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Upper bounds of the buckets, in microseconds.
const BOUNDS: [u64; 18] = [
    100,
    250,
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    30_000_000,
    120_000_000,
];

/// Durations, counted in buckets.
#[derive(Debug, Default)]
pub struct Histogram {
    /// The last bucket counts durations above all bounds.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    sum_micros: AtomicU64,
}

impl Histogram {
    /// Counts a duration.
    pub fn observe(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.partition_point(|bound| *bound < micros);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.sum_micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// The counts so far.
    pub fn read(&self) -> Buckets {
        let mut count = 0;
        let mut below = |bucket: &AtomicU64| {
            count += bucket.load(Ordering::Relaxed);
            count
        };
        let bounds = BOUNDS.iter().zip(&self.buckets);
        let bounds = bounds
            .map(|(bound, bucket)| (*bound as f64 / 1e6, below(bucket)))
            .collect();
        let count = below(&self.buckets[BOUNDS.len()]);
        Buckets {
            bounds,
            count,
            sum: self.sum_micros.load(Ordering::Relaxed) as f64 / 1e6,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_counts_in_its_bucket_and_in_all_above() {
        let histogram = Histogram::default();
        for micros in [0, 100, 101, 500_000, 200_000_000] {
            histogram.observe(Duration::from_micros(micros));
        }
        let read = histogram.read();
        let below = |bound| read.bounds.iter().find(|one| one.0 == bound).unwrap().1;
        assert_eq!((below(0.000_1), below(0.000_25)), (2, 3));
        assert_eq!((below(0.25), below(0.5), below(120.0)), (3, 4, 4));
        assert_eq!((read.count, read.sum), (5, 200.500_201));
    }
}
