//! Limits how long a caller may keep the service waiting, in both directions.

use std::time::Duration;

/// Longest time in which a caller sends or reads nothing. While it sends its body, a call holds its place among the
/// requests and its connection to the product.
pub(crate) const LONGEST: Duration = Duration::from_secs(60);
/// Minimum rate in bytes per second. A caller that moves a byte now and then gains no time.
const RATE: u32 = 1024;

/// A caller's remaining time. It passes while Stead waits for the caller, and each byte that moves adds to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience(Duration);

impl Default for Patience {
    fn default() -> Self {
        Self(LONGEST)
    }
}

impl Patience {
    pub(crate) fn left(self) -> Duration {
        self.0
    }

    /// Stead has waited this long for the caller, who has moved this many bytes.
    pub(crate) fn after(&mut self, waited: Duration, bytes: usize) {
        let gained =
            u32::try_from(bytes).map_or(LONGEST, |bytes| Duration::from_secs(bytes.into()) / RATE);
        self.0 = self.0.saturating_sub(waited) + gained;
        self.0 = self.0.min(LONGEST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second in which the time is over.
    fn seconds(bytes_a_second: usize) -> Option<u64> {
        let (mut patience, second) = (Patience::default(), Duration::from_secs(1));
        (1..10_000).find(|_| {
            let is_over = patience.left() <= second;
            patience.after(second, bytes_a_second);
            is_over
        })
    }

    #[test]
    fn only_a_steady_sender_has_unlimited_time() {
        assert_eq!(seconds(0), Some(60));
        assert_eq!(seconds(64), Some(64));
        assert_eq!(seconds(512), Some(119));
        assert_eq!(seconds(1024), None);
    }

    #[test]
    fn later_bytes_make_up_for_a_pause_and_time_is_not_saved() {
        let mut patience = Patience::default();
        patience.after(Duration::ZERO, usize::MAX);
        assert_eq!(patience.left(), LONGEST);
        patience.after(Duration::from_secs(59), 10 * 1024);
        assert_eq!(patience.left(), Duration::from_secs(11));
        patience.after(Duration::from_secs(1), 1024 * 1024);
        assert_eq!(patience.left(), LONGEST);
    }
}
