//! Limits how much of a shared capacity one holder can use: the calls of core, and the requests of the service.
//!
//! A holder with three times as many places as are free gets no more. A single greedy holder therefore gets at most
//! three quarters of all places. Several greedy holders get equal shares, and there is always room for one more.
//! A fixed share would leave most places unused if there is only one holder, or let a few holders take all. This needs
//! no list of holders and no setting.

use std::{
    fmt,
    hash::{BuildHasher as _, Hash},
    sync::{Arc, OnceLock},
};

use foldhash::quality::RandomState;

/// A holder can have at most this many times the number of free places.
const TIMES: usize = 3;
/// Number of slots for holders. A hash with a seed of this process selects the slot, and holders in the same slot count
/// as one.
const SLOTS: usize = 16_384;

/// The places of one holder.
#[derive(Debug, Clone, Default)]
pub struct Holder(Arc<()>);

/// A place of a holder. Dropping it frees the place.
#[derive(Debug)]
pub struct Share(#[expect(dead_code, reason = "counted until its end")] Arc<()>);

impl Holder {
    /// Takes one more place. `free` is the number of free places, before this one.
    ///
    /// # Errors
    /// The number of places that the holder has, if the free ones are reserved for others.
    pub fn take(&self, free: usize) -> Result<Share, usize> {
        let held = Arc::strong_count(&self.0) - 1;
        if held > 0 && held >= free.saturating_mul(TIMES) {
            return Err(held);
        }
        Ok(Share(Arc::clone(&self.0)))
    }
}

/// The places of all holders.
pub struct Shares {
    slots: Box<[OnceLock<Holder>]>,
    hasher: RandomState,
}

impl Default for Shares {
    fn default() -> Self {
        Self {
            slots: (0..SLOTS).map(|_| OnceLock::new()).collect(),
            hasher: RandomState::default(),
        }
    }
}

impl fmt::Debug for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shares").finish_non_exhaustive()
    }
}

impl Shares {
    /// The holder with this key.
    pub fn of(&self, holder: impl Hash) -> &Holder {
        let slot = self.hasher.hash_one(holder) % SLOTS as u64;
        self.slots[usize::try_from(slot).unwrap_or_default()].get_or_init(Holder::default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of places of each holder, after all of them have taken as many as they can.
    fn flooded(places: usize, holders: usize) -> Vec<usize> {
        let all: Vec<Holder> = (0..holders).map(|_| Holder::default()).collect();
        let mut taken: Vec<Vec<Share>> = all.iter().map(|_| Vec::new()).collect();
        let mut free = places;
        for _ in 0..places {
            for (holder, own) in all.iter().zip(&mut taken) {
                if let Ok(share) = holder.take(free) {
                    own.push(share);
                    free -= 1;
                }
            }
        }
        taken.iter().map(Vec::len).collect()
    }

    #[test]
    fn greedy_holders_leave_room() {
        assert_eq!(flooded(1000, 1), [750]);
        for holders in 2..10 {
            let held = flooded(1000, holders);
            let free = 1000 - held.iter().sum::<usize>();
            let part = 1000 / (1 + holders * TIMES);
            assert!(free.abs_diff(part) <= holders, "{holders} leave {free}");
            let fair = |own: &usize| own.abs_diff(part * TIMES) <= 2 * TIMES;
            assert!(held.iter().all(fair), "{held:?}");
        }
    }

    #[test]
    fn a_dropped_place_is_free_and_the_first_is_always_given() {
        let shares = Shares::default();
        let first = shares.of(("app", 1)).take(0).unwrap();
        assert_eq!(shares.of(("app", 1)).take(0).unwrap_err(), 1);
        drop(first);
        assert!(shares.of(("app", 1)).take(0).is_ok());
    }
}
