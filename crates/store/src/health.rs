//! What is known about writing, from the writes so far.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::fault::Fault;

/// How the last writes went.
#[derive(Debug, Default)]
pub(crate) struct Health(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Why nothing is written, while that is so: what failed first.
    trouble: Option<String>,
    /// When a write last succeeded or failed, on the monotonic clock.
    heard: Option<Duration>,
}

impl Health {
    /// Notes that something was written at this time.
    pub(crate) fn succeeded(&self, now: Duration) {
        let mut known = self.known();
        known.heard = Some(now);
        if known.trouble.take().is_some() {
            tracing::info!("the store takes writes again");
        }
    }

    /// Notes what kept something from being written, and reports it where that is news. A consequence of an earlier fault
    /// is told as that.
    pub(crate) fn failed(&self, now: Duration, mut fault: Fault) -> Fault {
        let mut known = self.known();
        known.heard = Some(now);
        match &known.trouble {
            Some(first) if fault.may_follow => fault.why.clone_from(first),
            Some(first) if *first == fault.why => {}
            _ => {
                tracing::error!(why = %fault.why, "the store takes no writes");
                known.trouble = Some(fault.why.clone());
            }
        }
        fault
    }

    /// What a write of the last `recent` has shown; `None` where there was none.
    pub(crate) fn heard(&self, now: Duration, recent: Duration) -> Option<Result<(), Fault>> {
        let known = self.known();
        let heard = known.heard?;
        if now.saturating_sub(heard) >= recent {
            return None;
        }
        Some(
            known
                .trouble
                .clone()
                .map_or(Ok(()), |why| Err(Fault::new(why))),
        )
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
