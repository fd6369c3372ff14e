//! Whether the store can write, known from the writes so far.

use std::{
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::fault::Fault;

/// The outcome of the last writes.
#[derive(Debug, Default)]
pub(crate) struct Health(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The first failure, for as long as writes fail.
    trouble: Option<String>,
    /// Whether the failure was logged.
    is_told: bool,
    /// The damage that was found, if any. It's kept until this process ends.
    damage: Option<String>,
    /// When a write last succeeded or failed, on the monotonic clock.
    heard: Option<Duration>,
}

impl Health {
    /// Records that a write succeeded at this time.
    pub(crate) fn succeeded(&self, now: Duration) {
        let mut known = self.known();
        known.heard = Some(now);
        known.trouble = None;
        if mem::take(&mut known.is_told) {
            tracing::info!("the store accepts writes again");
        }
    }

    /// Records a failed write, and logs it if it's a new failure. If an earlier fault caused this one, the result names
    /// the earlier one.
    pub(crate) fn failed(&self, now: Duration, fault: Fault) -> Fault {
        if fault.is_damage {
            return self.not_read(fault);
        }
        let is_news = self.known().trouble.as_ref() != Some(&fault.why);
        let is_news = is_news && !(fault.may_follow && self.known().trouble.is_some());
        let fault = self.unreachable(now, fault);
        if is_news {
            tracing::error!(why = %fault.why, "the store doesn't accept writes");
            let mut known = self.known();
            known.trouble = Some(fault.why.clone());
            known.is_told = true;
        }
        fault
    }

    /// Records that a write failed because the database can't be reached at all. This is logged elsewhere.
    pub(crate) fn unreachable(&self, now: Duration, fault: Fault) -> Fault {
        let fault = self.explained(fault);
        let mut known = self.known();
        known.heard = Some(now);
        known.trouble.get_or_insert_with(|| fault.why.clone());
        fault
    }

    /// Records a failed read, and logs damage the first time.
    pub(crate) fn not_read(&self, fault: Fault) -> Fault {
        if fault.is_damage && self.known().damage.replace(fault.why.clone()).is_none() {
            tracing::error!(why = %fault.why, "the database is damaged; stop the service and restore a backup (`stead doctor` shows the damage)");
        }
        self.explained(fault)
    }

    /// Fails if damage was found.
    pub(crate) fn whole(&self) -> Result<(), Fault> {
        let damage = self.known().damage.clone();
        damage.map_or(Ok(()), |why| Err(Fault::new(why)))
    }

    /// Replaces the reason of a fault if an earlier one caused it.
    pub(crate) fn explained(&self, mut fault: Fault) -> Fault {
        if let Some(first) = &self.known().trouble
            && fault.may_follow
        {
            fault.why.clone_from(first);
        }
        fault
    }

    /// The outcome of the writes within the last `recent`. `None` if there were none.
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
