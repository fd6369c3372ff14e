//! Time and randomness for a run: a clock, a wait for a condition, and random numbers from a seed.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// The pause between two checks of a condition.
const LOOK: Duration = Duration::from_millis(20);

#[expect(
    clippy::disallowed_methods,
    reason = "a program that measures another has no runtime port"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Polls until `look` returns a value. Returns it, and how long that took.
pub(crate) async fn until<T>(
    what: &str,
    limit: Duration,
    mut look: impl AsyncFnMut() -> Option<T>,
) -> Result<(T, Duration)> {
    let began = now();
    loop {
        if let Some(found) = look().await {
            return Ok((found, began.elapsed()));
        }
        if began.elapsed() > limit {
            bail!("{what}: not within {:.1} s", limit.as_secs_f64());
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// A duration in seconds, for people.
pub(crate) fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

/// Random numbers from a seed (splitmix64).
#[derive(Debug, Clone)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A random number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap_or(1);
        usize::try_from(self.next() % end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let draw = |seed| {
            let mut chance = Chance::new(seed);
            (0..20).map(|_| chance.below(10)).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        assert!(draw(7).iter().all(|number| *number < 10));
    }
}
