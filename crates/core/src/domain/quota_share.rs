//! How processes that call a product for one account share its quota.
//!
//! Every process can spend a small part without asking. The rest is a pool, and a process takes a slice of it while it
//! needs one. A process never spends more in a minute than its slice holds, and all slices together never exceed the
//! quota. So no 60 seconds exceed it either. A slice shrinks in steps, when the units that were spent are a minute old.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Extra;
use crate::identifier::AccountId;

/// One part in this many of a quota isn't in the pool. It's reserved for processes without a slice.
const RESERVE: u32 = 10;
/// This many processes without a slice never exceed the reserve.
const WITHOUT_SLICE: u32 = 5;
/// A process that couldn't renew its slice in time gives the others this much time to renew theirs.
const GRACE: SignedDuration = SignedDuration::from_secs(20);

/// Units that a process can spend in 60 seconds without a slice.
pub(crate) fn free_part(quota: u32) -> u32 {
    (quota / RESERVE / WITHOUT_SLICE).max(1).min(quota)
}

/// Units that processes share as slices.
pub(crate) fn pool(quota: u32) -> u32 {
    quota - quota / RESERVE
}

/// The slices of an account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct QuotaShare {
    /// Primary key.
    pub(crate) account_id: AccountId,
    pub(crate) slices: Vec<Slice>,
    /// Other members of the stored body, such as those of a newer version.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

/// The slice of one process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Slice {
    pub(crate) process: Uuid,
    /// From when others can take it, by the store's time. By then, everything that it spent is a minute old.
    pub(crate) ends_at: Timestamp,
    /// One for all requests, or one for reads if writes are counted separately; and one for writes.
    pub(crate) parts: Vec<Part>,
}

/// A slice of one quota, in units per 60 seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// Units that no other process can spend.
    pub(crate) held: u32,
    /// Units that it could use.
    pub(crate) wanted: u32,
}

/// A process's request for a slice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) quota: u32,
    pub(crate) wanted: u32,
    /// Units that it has already spent or promised. It keeps them as long as they count.
    pub(crate) spent: u32,
}

impl QuotaShare {
    pub(crate) fn new(account_id: AccountId) -> Self {
        Self {
            account_id,
            slices: Vec::new(),
            extra: Extra::default(),
        }
    }

    /// The share with a slice for this process, and the units of each quota that it can spend from now on. A process
    /// with more than a fair part gives the rest back as its spending becomes a minute old.
    pub(crate) fn claimed(
        mut self,
        process: Uuid,
        asked: &[Asked],
        now: Timestamp,
        ends_at: Timestamp,
    ) -> (Self, Vec<u32>) {
        let is_own = |slice: &Slice| slice.process == process;
        let is_over = |slice: &Slice| slice.ends_at <= now;
        if self
            .slices
            .iter()
            .any(|slice| is_own(slice) && is_over(slice))
        {
            // The store was unavailable, perhaps for all processes, so they keep spending what they had.
            for slice in self.slices.iter_mut().filter(|slice| is_over(slice)) {
                slice.ends_at = now.checked_add(GRACE).unwrap_or(now);
            }
        }
        self.slices
            .retain(|slice| !is_own(slice) && !is_over(slice));
        let (mut parts, mut limits) = (Vec::new(), Vec::new());
        for (index, asked) in asked.iter().enumerate() {
            let others = self.slices.iter();
            let others = others.filter_map(|slice| slice.parts.get(index).copied());
            let others: Vec<Part> = others.collect();
            let pool = pool(asked.quota);
            let fair = fair(pool, others.iter().map(|part| part.wanted), asked.wanted);
            let free = others
                .iter()
                .fold(pool, |left, part| left.saturating_sub(part.held));
            let slice = fair.min(free);
            parts.push(Part {
                held: slice.max(asked.spent),
                wanted: asked.wanted,
            });
            limits.push(slice.max(free_part(asked.quota)));
        }
        self.slices.push(Slice {
            process,
            ends_at,
            parts,
        });
        (self, limits)
    }

    /// When the last slice expires.
    pub(crate) fn ends_at(&self) -> Timestamp {
        let ends = self.slices.iter().map(|slice| slice.ends_at);
        ends.max().unwrap_or(Timestamp::MIN)
    }
}

/// The fair part of a process that wants `own`. Processes that want less than a fair part get all of it, and the others
/// share the rest equally.
fn fair(pool: u32, others: impl Iterator<Item = u32>, own: u32) -> u32 {
    let mut wanted: Vec<u32> = others.chain([own]).collect();
    wanted.sort_unstable();
    let mut left = pool;
    let mut sharing = u32::try_from(wanted.len()).unwrap_or(u32::MAX);
    for wants in wanted {
        let alike = left / sharing;
        if wants > alike {
            return own.min(alike);
        }
        left -= wants;
        sharing -= 1;
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;
    const END: Timestamp = Timestamp::constant(90, 0);

    fn claim(share: QuotaShare, process: u128, wanted: u32, spent: u32) -> (QuotaShare, u32) {
        let asked = Asked {
            quota: 1000,
            wanted,
            spent,
        };
        let (share, limits) = share.claimed(Uuid::from_u128(process), &[asked], NOW, END);
        (share, limits[0])
    }

    #[test]
    fn small_demands_are_met_and_the_others_share_the_rest_equally() {
        for (pool, others, own, expected) in [
            (900, vec![], 100, 100),
            (900, vec![], 5000, 900),
            (900, vec![900], 900, 450),
            (900, vec![100], 900, 800),
            (900, vec![900], 100, 100),
            (900, vec![900, 900, 100], 900, 266),
            (900, vec![900; 4], 900, 180),
            (2, vec![9; 4], 9, 0),
        ] {
            assert_eq!(
                fair(pool, others.iter().copied(), own),
                expected,
                "{others:?} {own}"
            );
        }
    }

    #[test]
    fn a_slice_comes_from_the_free_part_and_returns_to_it_with_time() {
        let share = QuotaShare::new(crate::testing::account(1, "ada").id);
        let (share, first) = claim(share, 1, 5000, 0);
        assert_eq!(first, 900);
        // Everything is held, so only the free part is left. The other process learns of the request.
        let (share, second) = claim(share, 2, 5000, 20);
        assert_eq!(second, 20);
        let (share, first) = claim(share, 1, 5000, 900);
        assert_eq!(first, 450);
        let (share, second) = claim(share, 2, 5000, 20);
        assert_eq!(second, 20);
        let (share, first) = claim(share, 1, 5000, 600);
        assert_eq!(first, 450);
        let (share, second) = claim(share, 2, 5000, 20);
        assert_eq!(second, 300);
        let (share, _) = claim(share, 1, 5000, 450);
        let (share, second) = claim(share, 2, 5000, 300);
        assert_eq!(second, 450);
        let held: u32 = share.slices.iter().map(|slice| slice.parts[0].held).sum();
        assert_eq!(held, 900);
        // After an outage, a process leaves the others their slices.
        let after = END + SignedDuration::from_secs(60);
        let back = Asked {
            quota: 1000,
            wanted: 5000,
            spent: 450,
        };
        let first = Uuid::from_u128(1);
        let (_, limits) = share.clone().claimed(first, &[back], after, after + GRACE);
        assert_eq!(limits, vec![450]);
        // It becomes free when it expires.
        let later = END + SignedDuration::from_secs(1);
        let asked = Asked {
            quota: 1000,
            wanted: 5000,
            spent: 0,
        };
        let (share, limits) = share.claimed(Uuid::from_u128(3), &[asked], END, later);
        assert_eq!((limits, share.ends_at()), (vec![900], later));
    }
}
