//! The time that all processes of one store agree on: the store's, kept between readings by this process's clock.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use jiff::{SignedDuration, Timestamp};

use crate::ports::Runtime;

/// Closer than this is the same time: what is compared between processes is counted in seconds.
const SLACK: SignedDuration = SignedDuration::from_millis(100);

/// This process's clock, set by the store's at every reading.
#[derive(Clone)]
pub(crate) struct StoreClock {
    runtime: Arc<dyn Runtime>,
    /// How far the store's clock is ahead, in microseconds.
    ahead: Arc<AtomicI64>,
}

impl StoreClock {
    pub(crate) fn new(runtime: Arc<dyn Runtime>) -> Self {
        Self {
            runtime,
            ahead: Arc::default(),
        }
    }

    /// The store's time, as far as it is known.
    pub(crate) fn now(&self) -> Timestamp {
        let own = self.runtime.now();
        own.checked_add(self.ahead()).unwrap_or(own)
    }

    /// This process's own time, to be noted before a reading.
    pub(super) fn own(&self) -> Timestamp {
        self.runtime.now()
    }

    /// Takes over what a reading that began at `began` has shown. Between its beginning and now the store's clock stood
    /// at `read_at`; an offset that this allows stays, so that a slow reading moves nothing.
    pub(super) fn read(&self, began: Timestamp, read_at: Timestamp) {
        let least = read_at.duration_since(self.own()) - SLACK;
        let most = read_at.duration_since(began) + SLACK;
        // The clock was set back during the reading, which then shows nothing.
        if least > most || (least..=most).contains(&self.ahead()) {
            return;
        }
        let middle = (least + (most - least) / 2).as_micros();
        let ahead = i64::try_from(middle).unwrap_or_default();
        self.ahead.store(ahead, Ordering::Release);
    }

    fn ahead(&self) -> SignedDuration {
        SignedDuration::from_micros(self.ahead.load(Ordering::Acquire))
    }
}

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;
