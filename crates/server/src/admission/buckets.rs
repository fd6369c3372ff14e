//! Token buckets by key. Their memory doesn't grow with the number of keys.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, Hash, RandomState},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

const SHARDS: usize = 16;
/// Maximum number of keys of a shard. For one more key, Stead looks at some others and drops the one with the fullest
/// bucket.
const KEYS: usize = 4096;
const SAMPLE: usize = 8;

/// A bucket per key. Each allows `burst` requests immediately, and one more in every `interval`. This is the generic
/// cell rate algorithm: a bucket is stored as the time at which it's full again.
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

    /// Takes one token from the key's bucket. If it's empty, the error is the time until there is one.
    pub(crate) fn take(&self, key: K, now: Duration) -> Result<(), Duration> {
        self.take_at(key, now, self.interval, self.burst)
    }

    /// The same for a bucket with its own interval and burst.
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
            // If the emptiest one were forgotten, its key would get a full bucket. Forgetting the fullest changes
            // least.
            let some = buckets.iter().take(SAMPLE);
            let fullest = some.min_by_key(|(_, full_at)| **full_at);
            if let Some(fullest) = fullest.map(|(key, _)| *key) {
                buckets.remove(&fullest);
            }
        }
        buckets.insert(key, full_at);
        Ok(())
    }

    /// Checks that the key's bucket has a token.
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

/// When the bucket is full again after one token was taken. If it has none, the error is the time until there is one.
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
    fn a_burst_passes_and_then_one_per_interval() {
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
    fn memory_is_bounded_for_any_number_of_keys() {
        let buckets = Buckets::new(1, 1);
        for key in 0..200_000_u32 {
            assert_eq!(buckets.take(key, Duration::ZERO), Ok(()));
        }
        for shard in &buckets.shards {
            assert!(shard.lock().unwrap().len() <= KEYS);
        }
    }
}
