//! The re-encryption job: the process that runs it, and its progress.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

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
    pub(crate) fn new(extra: Extra) -> Self {
        Self {
            holder: None,
            reached: ReencryptionProgress {
                running: true,
                ..ReencryptionProgress::default()
            },
            extra,
        }
    }

    /// Whether it's running but no process holds it. `now` is the store's time.
    pub(crate) fn is_left(&self, now: Timestamp) -> bool {
        let held = self.holder.as_ref().is_some_and(|held| held.until >= now);
        self.reached.running && !held
    }

    pub(crate) fn is_held_by(&self, process: Uuid) -> bool {
        self.holder() == Some(process)
    }

    /// The process that holds it.
    pub(crate) fn holder(&self) -> Option<Uuid> {
        self.holder.as_ref()?.process.parse().ok()
    }

    /// The job, held by this process from now on. `None` if it isn't running, or if another process holds it and hasn't
    /// `ended`.
    pub(crate) fn claimed(&self, process: Uuid, now: Timestamp, ended: bool) -> Option<Self> {
        let free = ended || self.is_left(now) || self.is_held_by(process);
        (free && self.reached.running).then(|| Self {
            holder: Some(Holder {
                process: process.to_string(),
                until: now.checked_add(LEASE).unwrap_or(Timestamp::MAX),
            }),
            ..self.clone()
        })
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
    fn a_job_is_abandoned_when_its_lease_ends_unless_it_is_done() {
        let now = Timestamp::UNIX_EPOCH;
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let later = now + LEASE + SignedDuration::from_nanos(1);
        let new = ReencryptionJob::new(Extra::default());
        assert!(new.is_left(now) && !new.is_held_by(one));
        let held = new.claimed(one, now, false).unwrap();
        assert!(held.is_held_by(one) && !held.is_left(now + LEASE) && held.is_left(later));
        assert!(!held.is_due(now) && held.is_due(now + LEASE / 2 + SignedDuration::from_nanos(1)));
        assert!(held.claimed(one, now, false).is_some());
        assert_eq!(held.claimed(other, now + LEASE, false), None);
        assert!(held.claimed(other, now, true).is_some());
        assert!(held.claimed(other, later, false).is_some());
        let stopped = held.clone().given_back(Some("shut down".into()), true);
        assert!(stopped.claimed(other, now, false).is_some());
        let ended = held.after(3, 0, Vec::new()).given_back(None, false);
        assert_eq!(ended.claimed(one, now + LEASE * 2, true), None);
        assert_eq!((ended.reached.done, ended.reached.left), (3, 0));
    }
}
