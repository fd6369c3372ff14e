//! What all products use: the clock and the source of ids.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::ids::Ids;

/// Where every sandbox's clock starts: 2026-05-04T09:00:00Z, a Monday.
const START_SECOND: i64 = 1_777_885_200;

/// Clock and ids of one sandbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Shared {
    /// The sandbox's own clock; only [`crate::Fault::Advance`] moves it.
    pub(crate) now: Timestamp,
    /// Source of codes, tokens and opaque ids.
    pub(crate) ids: Ids,
}

impl Shared {
    /// The clock at its start.
    pub(crate) fn new() -> Self {
        Self {
            now: start(),
            ids: Ids::default(),
        }
    }

    /// Moves the clock.
    pub(crate) fn advance(&mut self, seconds: u32) -> Result<(), String> {
        self.now = self
            .now
            .checked_add(SignedDuration::from_secs(i64::from(seconds)))
            .map_err(|error| error.to_string())?;
        Ok(())
    }

    /// Sets the clock back. The source of ids goes on, so that a token from before cannot come to life again.
    pub(crate) fn reset(&mut self) {
        self.now = start();
    }
}

/// Where the clock starts.
pub(crate) fn start() -> Timestamp {
    Timestamp::from_second(START_SECOND).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The time of day, moved as far as a sandbox's clock was: for what a client compares with its own clock.
#[expect(
    clippy::disallowed_methods,
    reason = "a client compares this with the clock of its machine"
)]
pub(crate) fn time_of_day(now: Timestamp) -> Timestamp {
    Timestamp::now()
        .checked_add(now.duration_since(start()))
        .unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_starts_where_documented() {
        assert_eq!(start().to_string(), "2026-05-04T09:00:00Z");
    }
}
