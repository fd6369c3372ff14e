//! Whether the store answers readings: while it does not, no call waits to find that out by itself.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// How often a store that is away is asked again.
const PROBE: Duration = Duration::from_secs(1);

/// What the last reading of the store has shown.
#[derive(Debug, Default)]
pub(crate) struct StoreHealth(Mutex<Option<Away>>);

#[derive(Debug, Clone, Copy)]
struct Away {
    /// It failed; else it is only slow.
    failed: bool,
    next_probe: Duration,
}

/// Whether a reading is worth its wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// The store answers.
    Wait,
    /// The store is away, and it is time to ask it again: the caller does so.
    Probe,
    /// The last reading took too long.
    Slow,
    /// The last reading failed.
    Failed,
}

impl StoreHealth {
    /// What to do with a reading that is needed now.
    pub(crate) fn ask(&self, now: Duration) -> Ask {
        let mut away = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *away {
            None => Ask::Wait,
            Some(away) if now >= away.next_probe + PROBE => {
                // No one has asked for a while: it may have come back long ago.
                away.next_probe = now + PROBE;
                Ask::Wait
            }
            Some(away) if now >= away.next_probe => {
                away.next_probe = now + PROBE;
                Ask::Probe
            }
            Some(Away { failed: true, .. }) => Ask::Failed,
            Some(_) => Ask::Slow,
        }
    }

    /// A reading has ended.
    pub(crate) fn answered(&self, now: Duration, failed: bool) {
        let mut away = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *away = failed.then(|| Away {
            failed,
            next_probe: now + PROBE,
        });
    }

    /// A reading takes longer than a caller waits for it.
    pub(crate) fn late(&self, now: Duration) {
        let mut away = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        away.get_or_insert(Away {
            failed: false,
            next_probe: now + PROBE,
        });
    }
}
