//! Keeps accounts within their product's published quota.

mod sharing;
mod window;

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::future::{Either, select};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use sharing::Sharing;
use window::Window;

use crate::{
    Error, ErrorKind, Result,
    identifier::AccountId,
    ports::Runtime,
    product::{Product, Quota},
    shares::Holder,
    tool::Effect,
};

/// Accounts are distributed over this many maps, so that a scan of one map blocks only few calls.
const SHARDS: usize = 64;

/// The rate limiters of all recently called accounts.
pub(crate) struct RateLimiters {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
    waiting_per_account: u32,
    /// Whether other processes call for the same accounts.
    shared: bool,
}

type Shard = HashMap<AccountId, Arc<RateLimiter>>;

impl RateLimiters {
    pub(crate) fn new(waiting_per_account: u32, shared: bool) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
            waiting_per_account,
            shared,
        }
    }

    /// The limiter of an account with this quota. A different quota starts a new one.
    pub(crate) fn of(&self, account: AccountId, quota: Option<Quota>) -> Arc<RateLimiter> {
        let new = || {
            Arc::new(RateLimiter::new(
                quota,
                self.waiting_per_account,
                self.shared,
            ))
        };
        let mut limiters = self.shard(account);
        let limiter = limiters.entry(account).or_insert_with(new);
        if limiter.quota() != quota {
            *limiter = new();
        }
        Arc::clone(limiter)
    }

    fn shard(&self, account: AccountId) -> MutexGuard<'_, Shard> {
        let index = self.hasher.hash_one(account) % SHARDS as u64;
        lock(&self.shards[usize::try_from(index).unwrap_or_default()])
    }

    /// Drops limiters that no snapshot uses and whose quota is unused.
    pub(crate) fn sweep(&self, now: Duration) {
        for shard in &self.shards {
            let mut limiters = lock(shard);
            limiters.retain(|_, limiter| Arc::strong_count(limiter) > 1 || !limiter.is_whole(now));
            if limiters.capacity() > 4 * limiters.len() {
                limiters.shrink_to_fit();
            }
        }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps one account within its quota. No 60 seconds use more than the quota, and all of it is available.
pub(crate) struct RateLimiter {
    limits: Option<Limits>,
    /// The account's running calls at its connection.
    pub(crate) places: Holder,
}

struct Limits {
    quota: Quota,
    /// For all requests, or only for reads if writes are counted separately.
    units: Window,
    writes: Option<Window>,
    at_once: Arc<Semaphore>,
    /// Places for waiting requests.
    waiting: Semaphore,
    /// Sharing with other processes that call for the same account.
    sharing: Option<Sharing>,
}

impl RateLimiter {
    fn new(quota: Option<Quota>, waiting: u32, shared: bool) -> Self {
        let window = |quota| Window::new(quota, shared);
        let limits = quota.map(|quota| Limits {
            quota,
            units: window(quota.units_per_minute),
            writes: quota.writes_per_minute.map(window),
            at_once: Arc::new(Semaphore::new(quota.concurrency.max(1).into())),
            waiting: Semaphore::new(waiting as usize),
            sharing: shared.then(Sharing::default),
        });
        let places = Holder::default();
        Self { limits, places }
    }

    /// Whether nothing was spent in the last 60 seconds.
    fn is_whole(&self, now: Duration) -> bool {
        self.limits
            .as_ref()
            .is_none_or(|limits| limits.windows().all(|one| one.is_whole(now)))
    }

    fn quota(&self) -> Option<Quota> {
        self.limits.as_ref().map(|limits| limits.quota)
    }

    /// Maximum number of requests at the same time. Without a rate limit, the product's number.
    pub(crate) fn at_once(&self, product: &Product) -> usize {
        let quota = self.quota().unwrap_or(product.quota);
        quota.concurrency.max(1).into()
    }

    /// Waits for this account's turn.
    pub(crate) async fn acquire(
        &self,
        runtime: &dyn Runtime,
        cost: Cost,
        left: Duration,
    ) -> Result<Permit> {
        let Some(limits) = &self.limits else {
            return Ok(Permit::default());
        };
        // If all places are taken, this request would also need to wait.
        let _waiting = limits.waiting.try_acquire().map_err(|_| too_many())?;
        let now = runtime.monotonic();
        let wait = limits.reserve(cost, now, left)?;
        let reserved = Reserved {
            limits,
            cost,
            turn: now + wait,
        };
        if !wait.is_zero() {
            runtime.sleep(wait).await;
        }
        if let Ok(permit) = Arc::clone(&limits.at_once).try_acquire_owned() {
            reserved.keep();
            return Ok(Permit::new(permit, !wait.is_zero()));
        }
        let turn = std::pin::pin!(Arc::clone(&limits.at_once).acquire_owned());
        match select(turn, runtime.sleep(left.saturating_sub(wait))).await {
            Either::Left((Ok(permit), _)) => {
                reserved.keep();
                Ok(Permit::new(permit, true))
            }
            Either::Left((Err(_), _)) => Err(Error::new(
                ErrorKind::Internal,
                "the rate limiter of an account was closed",
            )),
            Either::Right(_) => Err(too_late(Duration::from_secs(1))),
        }
    }
}

/// Cost of a request in units of the product's quota.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) reads: u32,
    pub(crate) writes: u32,
}

impl Cost {
    /// Cost of a request with this effect.
    pub(crate) fn of(effect: Effect, units: u32) -> Self {
        match effect {
            Effect::Read => Self {
                reads: units,
                writes: 0,
            },
            _ => Self {
                reads: 0,
                writes: units,
            },
        }
    }

    /// Cost of both requests.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            reads: self.reads.saturating_add(other.reads),
            writes: self.writes.saturating_add(other.writes),
        }
    }
}

impl Limits {
    fn windows(&self) -> impl Iterator<Item = &Window> {
        std::iter::once(&self.units).chain(&self.writes)
    }

    /// The windows, each with the cost of the request.
    fn charged(&self, cost: Cost) -> impl Iterator<Item = (&Window, u32)> {
        let (first, second) = match &self.writes {
            None => (cost.reads.saturating_add(cost.writes), None),
            Some(writes) => (cost.reads, Some((writes, cost.writes))),
        };
        std::iter::once((&self.units, first)).chain(second)
    }

    /// Reserves units and returns how long to wait for them, for both quotas if the product counts writes separately.
    /// Reserves nothing if the wait would be longer than `left`.
    fn reserve(&self, cost: Cost, now: Duration, left: Duration) -> Result<Duration> {
        let Some(writes) = &self.writes else {
            let all = cost.reads.saturating_add(cost.writes);
            return self.units.reserve(all, now, left);
        };
        match cost {
            Cost { reads, writes: 0 } => self.units.reserve(reads, now, left),
            Cost {
                reads: 0,
                writes: units,
            } => writes.reserve(units, now, left),
            // The request can use both at the later of the two times.
            Cost {
                reads,
                writes: units,
            } => {
                let (mut of_reads, mut of_writes) = (self.units.spent(), writes.spent());
                let turn = self.units.turn(&mut of_reads, reads, now);
                let turn = turn.max(writes.turn(&mut of_writes, units, now));
                if turn - now > left {
                    return Err(too_late(turn - now));
                }
                self.units.take(&mut of_reads, turn, reads);
                writes.take(&mut of_writes, turn, units);
                Ok(turn - now)
            }
        }
    }
}

/// Units that a waiting request has reserved. Dropping this gives them back, because the caller has left.
struct Reserved<'l> {
    limits: &'l Limits,
    cost: Cost,
    turn: Duration,
}

impl Reserved<'_> {
    /// The request uses its reservation.
    fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        for (window, units) in self.limits.charged(self.cost) {
            window.give_back(self.turn, units);
        }
    }
}

/// The right to have one request running, until the response's head has arrived.
#[derive(Default)]
pub(crate) struct Permit {
    /// Whether the request had to wait.
    pub(crate) waited: bool,
    _place: Option<OwnedSemaphorePermit>,
}

impl Permit {
    fn new(place: OwnedSemaphorePermit, waited: bool) -> Self {
        Self {
            waited,
            _place: Some(place),
        }
    }
}

fn too_many() -> Error {
    Error::new(
        ErrorKind::RateLimited,
        "too many requests of this account are queued; try again later",
    )
    .with_retry_after(Duration::from_secs(1))
}

fn too_late(wait: Duration) -> Error {
    Error::new(
        ErrorKind::RateLimited,
        "this account makes more requests than the product allows, and this call would time out in the queue",
    )
    .with_retry_after(wait)
}

#[cfg(test)]
mod sharing_tests;
#[cfg(test)]
mod tests;
