//! Token buckets by key, in memory that does not grow with the number of keys.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, Hash, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

const SHARDS: usize = 16;
/// Keys of a shard. One more, and the fullest of some others is forgotten.
const KEYS: usize = 4096;
const SAMPLE: usize = 8;

/// A bucket per key, each for `burst` requests at once and one more in every `interval` (the generic cell rate
/// algorithm: a bucket is the time at which it is full again).
#[derive(Debug)]
pub(crate) struct Buckets<K> {
    shards: [Mutex<HashMap<K, Duration>>; SHARDS],
    hasher: RandomState,
    interval: Duration,
    burst: u32,
}

impl<K: Hash + Eq + Copy> Buckets<K> {
    pub(crate) fn new(per_second: u32, burst: u32) -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            hasher: RandomState::new(),
            interval: Duration::from_secs(1) / per_second,
            burst,
        }
    }

    /// Takes one from the key's bucket; where it is empty, says when there will be one.
    pub(crate) fn take(&self, key: K, now: Duration) -> Result<(), Duration> {
        self.take_at(key, now, self.interval, self.burst)
    }

    /// The same for a bucket with an interval and a burst of its own.
    pub(crate) fn take_at(
        &self,
        key: K,
        now: Duration,
        interval: Duration,
        burst: u32,
    ) -> Result<(), Duration> {
        let mut buckets = self.shard(key);
        let full_at = full_at_after(&buckets, &key, now, interval, burst)?;
        if buckets.len() >= KEYS && !buckets.contains_key(&key) {
            // The emptiest of some would be refused the most; the fullest loses nothing.
            let some = buckets.iter().take(SAMPLE);
            let fullest = some.min_by_key(|(_, full_at)| **full_at);
            if let Some(fullest) = fullest.map(|(key, _)| *key) {
                buckets.remove(&fullest);
            }
        }
        buckets.insert(key, full_at);
        Ok(())
    }

    /// Whether the key's bucket has one.
    pub(crate) fn check(&self, key: K, now: Duration) -> Result<(), Duration> {
        full_at_after(&self.shard(key), &key, now, self.interval, self.burst).map(drop)
    }

    fn shard(&self, key: K) -> MutexGuard<'_, HashMap<K, Duration>> {
        // The remainder is less than the number of shards.
        let shard = usize::try_from(self.hasher.hash_one(key) % SHARDS as u64).unwrap_or_default();
        self.shards[shard]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// When the bucket will be full once one was taken; where there is none, how long until there is.
fn full_at_after<K: Hash + Eq>(
    buckets: &HashMap<K, Duration>,
    key: &K,
    now: Duration,
    interval: Duration,
    burst: u32,
) -> Result<Duration, Duration> {
    let full_at = buckets.get(key).map_or(now, |at| now.max(*at)) + interval;
    let wait = full_at.saturating_sub(now + interval * burst);
    if wait.is_zero() {
        Ok(full_at)
    } else {
        Err(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_at_once_and_then_one_in_each_interval() {
        let buckets = Buckets::new(10, 3);
        let at = Duration::from_millis;
        for _ in 0..3 {
            assert_eq!(buckets.take("a", at(0)), Ok(()));
        }
        assert_eq!(buckets.take("a", at(0)), Err(at(100)));
        assert_eq!(buckets.take("b", at(0)), Ok(()), "each key has its own");
        assert_eq!(buckets.take("a", at(40)), Err(at(60)));
        assert_eq!(buckets.take("a", at(100)), Ok(()));
        assert_eq!(buckets.take("a", at(100)), Err(at(100)));
        for _ in 0..3 {
            assert_eq!(buckets.take("a", at(5000)), Ok(()));
        }
    }

    #[test]
    fn any_number_of_keys_takes_no_more_room_than_some() {
        let buckets = Buckets::new(1, 1);
        for key in 0..200_000_u32 {
            assert_eq!(buckets.take(key, Duration::ZERO), Ok(()));
        }
        for shard in &buckets.shards {
            assert!(shard.lock().unwrap().len() <= KEYS);
        }
    }
}
