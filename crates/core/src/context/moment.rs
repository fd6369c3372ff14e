//! A time that many threads set and few read.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// A moment on the clock of [`Host::monotonic`](super::Host::monotonic), in whole milliseconds.
#[derive(Debug, Default)]
pub(crate) struct Moment(AtomicU64);

impl Moment {
    pub(crate) fn new(moment: Duration) -> Self {
        Self(AtomicU64::new(millis(moment)))
    }

    /// An unchanged value isn't written, because a write would take the cache line from other cores.
    pub(crate) fn set(&self, moment: Duration) {
        let moment = millis(moment);
        if self.0.load(Ordering::Relaxed) != moment {
            self.0.store(moment, Ordering::Relaxed);
        }
    }

    pub(crate) fn get(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
}

fn millis(moment: Duration) -> u64 {
    u64::try_from(moment.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_kept_to_the_millisecond() {
        let moment = Moment::new(Duration::from_micros(1_999));
        assert_eq!(moment.get(), Duration::from_millis(1));
        for next in [2_000, 2_999, 1_000] {
            moment.set(Duration::from_micros(next));
            assert_eq!(moment.get(), Duration::from_millis(next / 1000));
        }
    }
}
