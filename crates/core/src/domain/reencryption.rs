//! The job of sealing everything again: which process does it, and how far it is.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Extra, webhook::Holder};

/// A process has the job for so long after each batch: longer than it takes to count all rows.
const LEASE: SignedDuration = SignedDuration::from_mins(5);
/// Rows that cannot be sealed again and are named: all of them share one cause as a rule.
const NAMED: usize = 100;

/// How far the job is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReencryptionProgress {
    pub(crate) running: bool,
    /// Rows that were sealed again, and those that have to be.
    pub(crate) done: u64,
    pub(crate) left: u64,
    pub(crate) failed: Vec<UnsealedRow>,
    /// Why it ended before its end.
    pub(crate) stopped: Option<String>,
}

/// A row that cannot be sealed again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct UnsealedRow {
    pub(crate) table: String,
    pub(crate) key: String,
    pub(crate) reason: String,
}

/// The job. There is one at most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReencryptionJob {
    /// Which process does it, and until when no other does.
    pub(crate) holder: Option<Holder>,
    /// How far it is: `running` until its end.
    pub(crate) reached: ReencryptionProgress,
    /// What else its stored body holds.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

impl ReencryptionJob {
    /// One that a process is to take.
    pub(crate) fn new(before: Option<Self>) -> Self {
        Self {
            holder: None,
            reached: ReencryptionProgress {
                running: true,
                ..ReencryptionProgress::default()
            },
            extra: before.map(|before| before.extra).unwrap_or_default(),
        }
    }

    /// Whether it is under way, and in no one's hands. `now` is the store's time.
    pub(crate) fn is_left(&self, now: Timestamp) -> bool {
        let held = self.holder.as_ref().is_some_and(|held| held.until >= now);
        self.reached.running && !held
    }

    pub(crate) fn is_held_by(&self, process: &str) -> bool {
        let holder = self.holder.as_ref();
        holder.is_some_and(|holder| holder.process == process)
    }

    /// In the hands of a process from now on.
    pub(crate) fn claimed(&self, process: &str, now: Timestamp) -> Self {
        Self {
            holder: Some(Holder {
                process: process.to_owned(),
                until: now.checked_add(LEASE).unwrap_or(Timestamp::MAX),
            }),
            ..self.clone()
        }
    }

    /// Whether it has to be claimed again before long.
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        let holder = self.holder.as_ref();
        holder.is_none_or(|holder| holder.until.duration_since(now) < LEASE / 2)
    }

    /// After a batch.
    pub(crate) fn after(mut self, done: u64, left: u64, failed: Vec<UnsealedRow>) -> Self {
        self.reached.done += done;
        self.reached.left = left;
        for row in failed {
            let named = &mut self.reached.failed;
            if named.len() < NAMED && !named.contains(&row) {
                named.push(row);
            }
        }
        self
    }

    /// In no one's hands: at its end, or stopped for a reason. Where `again`, the next process goes on.
    pub(crate) fn given_back(mut self, stopped: Option<String>, again: bool) -> Self {
        self.holder = None;
        self.reached.running = again;
        self.reached.stopped = stopped;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_left_where_its_holder_is_gone_and_at_its_end_it_is_not() {
        let now = Timestamp::UNIX_EPOCH;
        let instant = SignedDuration::from_nanos(1);
        let new = ReencryptionJob::new(None);
        assert!(new.is_left(now));
        let held = new.claimed("a", now);
        assert!(held.is_held_by("a") && !held.is_held_by("b"));
        assert!(!held.is_left(now + LEASE) && held.is_left(now + LEASE + instant));
        assert!(!held.is_due(now) && held.is_due(now + LEASE / 2 + instant));
        let stopped = Some(String::from("shut down"));
        assert!(held.clone().given_back(stopped, true).is_left(now));
        let ended = held.after(3, 0, Vec::new()).given_back(None, false);
        assert!(!ended.is_left(now + LEASE * 2));
        assert_eq!((ended.reached.done, ended.reached.left), (3, 0));
    }
}
