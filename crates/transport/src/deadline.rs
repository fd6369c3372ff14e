//! Deadlines of requests and their responses.

use std::time::Duration;

use stead_core::ports::Limits;
use tokio::time::Instant;

/// When an exchange must be over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    pub(crate) start: Instant,
    total: Duration,
    steady: u64,
}

impl Deadline {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            start: Instant::now(),
            total: limits.total,
            steady: limits.steady,
        }
    }

    /// The deadline, once this many bytes of both bodies have passed.
    pub(crate) fn with(&self, bytes: u64) -> Instant {
        let grown = bytes.checked_div(self.steady).unwrap_or_default();
        let grown = Duration::from_secs(grown);
        after(self.start, self.total.saturating_add(grown))
    }
}

/// The moment `duration` after `start`, or the far future if that is beyond the clock.
pub(crate) fn after(start: Instant, duration: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
    start.checked_add(duration).unwrap_or_else(|| start + FAR)
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_steady_body_extends_its_deadline() {
        let limits = Limits {
            total: SECOND * 10,
            ..Limits::DEFAULT
        };
        let start = Instant::now();
        assert_eq!(Deadline::new(&limits).with(u64::MAX), start + SECOND * 10);
        let steady = Deadline::new(&Limits {
            steady: 1000,
            ..limits
        });
        assert_eq!(steady.with(999), start + SECOND * 10);
        assert_eq!(steady.with(60_000), start + SECOND * 70);
    }

    #[tokio::test(start_paused = true)]
    async fn a_deadline_beyond_the_clock_is_far_in_the_future() {
        advance(SECOND).await;
        let now = Instant::now();
        assert_eq!(after(now, SECOND), now + SECOND);
        assert!(after(now, Duration::MAX) > now + SECOND * 1_000_000);
    }
}
