//! Moments by which something must have happened.

use std::time::Duration;

use tokio::time::Instant;

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
    async fn a_moment_beyond_the_clock_is_far_away() {
        advance(SECOND).await;
        let now = Instant::now();
        assert_eq!(after(now, SECOND), now + SECOND);
        assert!(after(now, Duration::MAX) > now + SECOND * 1_000_000);
    }
}
