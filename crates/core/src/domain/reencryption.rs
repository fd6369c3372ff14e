//! The re-encryption job: the process that runs it, and its progress.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Extra, webhook::Holder};
use crate::resource::FailedRow;
pub(crate) use crate::resource::key::ReencryptionProgress;

/// How long a process holds the job after each batch: longer than it takes to count all rows.
const LEASE: SignedDuration = SignedDuration::from_mins(5);
/// Maximum number of failed rows to list. Usually, all of them have the same cause.
const NAMED: usize = 100;

/// The job. There is at most one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReencryptionJob {
    /// The process that runs it, and until when no other process can.
    pub(crate) holder: Option<Holder>,
    /// Progress. `running` is true until the job ends.
    pub(crate) reached: ReencryptionProgress,
    /// Other members of the stored body, such as those of a newer version.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

impl ReencryptionJob {
    /// A new job that a process can claim.
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

    /// Whether it's running but no process holds it. `now` is the store's time.
    pub(crate) fn is_left(&self, now: Timestamp) -> bool {
        let held = self.holder.as_ref().is_some_and(|held| held.until >= now);
        self.reached.running && !held
    }

    pub(crate) fn is_held_by(&self, process: &str) -> bool {
        let holder = self.holder.as_ref();
        holder.is_some_and(|holder| holder.process == process)
    }

    /// The job, held by this process from now on.
    pub(crate) fn claimed(&self, process: &str, now: Timestamp) -> Self {
        Self {
            holder: Some(Holder {
                process: process.to_owned(),
                until: now.checked_add(LEASE).unwrap_or(Timestamp::MAX),
            }),
            ..self.clone()
        }
    }

    /// Whether the process needs to renew its claim soon.
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        let holder = self.holder.as_ref();
        holder.is_none_or(|holder| holder.until.duration_since(now) < LEASE / 2)
    }

    /// After a batch.
    pub(crate) fn after(mut self, done: u64, left: u64, failed: Vec<FailedRow>) -> Self {
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

    /// The job without a holder, because it ended or stopped for this reason. With `again`, the next process continues
    /// it.
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
