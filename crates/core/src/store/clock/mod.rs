//! The time that all processes of a store agree on. It's the store's time, continued between reads by this process's
//! clock.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use jiff::{SignedDuration, Timestamp};

use crate::ports::Runtime;

/// Smaller differences are ignored, because times that processes compare are in seconds.
const SLACK: SignedDuration = SignedDuration::from_millis(100);

/// This process's clock, adjusted to the store's at every read.
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

    /// The store's time, as far as it's known.
    pub(crate) fn now(&self) -> Timestamp {
        let own = self.runtime.now();
        own.checked_add(self.ahead()).unwrap_or(own)
    }

    /// This process's own time, to be recorded before a read.
    pub(super) fn own(&self) -> Timestamp {
        self.runtime.now()
    }

    /// Adjusts the clock after a read that started at `began`. Between then and now, the store's clock was at
    /// `read_at`. If the current offset is consistent with that, it stays, so that a slow read changes nothing.
    pub(super) fn read(&self, began: Timestamp, read_at: Timestamp) {
        let least = read_at.duration_since(self.own()) - SLACK;
        let most = read_at.duration_since(began) + SLACK;
        // If the clock was set back during the read, the read proves nothing.
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
mod tests;
