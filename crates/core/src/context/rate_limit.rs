//! Keeps accounts within their product's published quota.

use std::{
    collections::{HashMap, VecDeque},
    hash::{BuildHasher as _, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::future::{Either, select};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    Error, ErrorKind, Result,
    identifier::AccountId,
    ports::Runtime,
    product::{Product, Quota},
    tool::Effect,
};

const MINUTE: Duration = Duration::from_secs(60);
/// Spends within such a time are remembered as one, at its end.
const SLOT: Duration = Duration::from_millis(250);
/// Accounts are spread over so many maps, so that a look at all of them stops the calls of few.
const SHARDS: usize = 64;

/// The rate limiters of all accounts that were called lately.
pub(crate) struct RateLimiters {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
    waiting_per_account: u32,
}

type Shard = HashMap<AccountId, Arc<RateLimiter>>;

impl RateLimiters {
    pub(crate) fn new(waiting_per_account: u32) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
            waiting_per_account,
        }
    }

    /// That of an account with this quota; one with another quota starts over.
    pub(crate) fn of(&self, account: AccountId, quota: Option<Quota>) -> Arc<RateLimiter> {
        let new = || Arc::new(RateLimiter::new(quota, self.waiting_per_account));
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

    /// Forgets those that no snapshot names any more and whose quota is whole again.
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

/// Keeps one account within its quota: in no 60 seconds more is used, and all of it can be.
pub(crate) struct RateLimiter(Option<Limits>);

struct Limits {
    quota: Quota,
    /// Of all requests, or of reads where writes are counted apart.
    units: Window,
    writes: Option<Window>,
    at_once: Arc<Semaphore>,
    /// Places of requests that wait.
    waiting: Semaphore,
}

impl RateLimiter {
    fn new(quota: Option<Quota>, waiting: u32) -> Self {
        Self(quota.map(|quota| Limits {
            quota,
            units: Window::new(quota.units_per_minute),
            writes: quota.writes_per_minute.map(Window::new),
            at_once: Arc::new(Semaphore::new(quota.concurrency.max(1).into())),
            waiting: Semaphore::new(waiting as usize),
        }))
    }

    /// Whether nothing was spent in the last 60 seconds.
    fn is_whole(&self, now: Duration) -> bool {
        self.0.as_ref().is_none_or(|limits| {
            let windows = [Some(&limits.units), limits.writes.as_ref()];
            windows.into_iter().flatten().all(|one| one.is_whole(now))
        })
    }

    fn quota(&self) -> Option<Quota> {
        self.0.as_ref().map(|limits| limits.quota)
    }

    /// How many requests may be on their way at the same time; the product's number where nothing is limited.
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
        let Some(limits) = &self.0 else {
            return Ok(Permit::default());
        };
        // Where all places to wait are taken, this request would have to wait as well.
        let _waiting = limits.waiting.try_acquire().map_err(|_| too_many())?;
        let wait = limits.reserve(cost, runtime.monotonic(), left)?;
        if !wait.is_zero() {
            runtime.sleep(wait).await;
        }
        if let Ok(permit) = Arc::clone(&limits.at_once).try_acquire_owned() {
            return Ok(Permit::new(permit, !wait.is_zero()));
        }
        let turn = std::pin::pin!(Arc::clone(&limits.at_once).acquire_owned());
        match select(turn, runtime.sleep(left.saturating_sub(wait))).await {
            Either::Left((permit, _)) => {
                permit.map(|permit| Permit::new(permit, true)).map_err(|_| {
                    Error::new(
                        ErrorKind::Internal,
                        "the rate limiter of an account was closed",
                    )
                })
            }
            Either::Right(_) => Err(too_late(Duration::from_secs(1))),
        }
    }
}

/// What a request costs of the product's quota.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) reads: u32,
    pub(crate) writes: u32,
}

impl Cost {
    /// Of a request that can do this.
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

    /// That of both requests.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            reads: self.reads.saturating_add(other.reads),
            writes: self.writes.saturating_add(other.writes),
        }
    }
}

impl Limits {
    /// How long to wait until this may be used, of both quotas where the product counts writes apart. Nothing is
    /// reserved where the wait would be longer than `left`.
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
            // Each of the two is free at the later of both turns.
            Cost {
                reads,
                writes: units,
            } => {
                let (mut of_reads, mut of_writes) = (lock(&self.units.spent), lock(&writes.spent));
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

/// The right to have one request on its way, held until the response's head has come.
#[derive(Default)]
pub(crate) struct Permit {
    /// Whether the request had to wait for it.
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

/// What was spent in the last 60 seconds, and what is reserved.
struct Window {
    /// Units in any 60 seconds; 0 for no limit.
    limit: u32,
    spent: Mutex<Spent>,
}

#[derive(Default)]
struct Spent {
    /// Ends of slots, in order, with the units spent in each.
    slots: VecDeque<(Duration, u64)>,
    /// When the last reservation has its turn: those after it do not overtake it.
    last: Duration,
}

impl Window {
    fn new(limit: u32) -> Self {
        Self {
            limit,
            spent: Mutex::default(),
        }
    }

    /// How long to wait before these units may be used: until enough of what was spent is a minute old. Nothing is
    /// reserved where the wait would be longer than `left`. What costs more than the limit has a minute of its own.
    fn reserve(&self, units: u32, now: Duration, left: Duration) -> Result<Duration> {
        let mut spent = lock(&self.spent);
        let turn = self.turn(&mut spent, units, now);
        let wait = turn - now;
        if wait > left {
            return Err(too_late(wait));
        }
        self.take(&mut spent, turn, units);
        Ok(wait)
    }

    /// When these units may be used.
    fn turn(&self, spent: &mut Spent, units: u32, now: Duration) -> Duration {
        if self.limit == 0 {
            return now;
        }
        let Spent { slots, last } = spent;
        while slots.front().is_some_and(|(end, _)| *end + MINUTE <= now) {
            slots.pop_front();
        }
        let mut turn = now.max(*last);
        let mut held: u64 = slots.iter().map(|(_, units)| units).sum();
        for (end, of_slot) in &*slots {
            if *end + MINUTE > turn {
                if held + u64::from(units) <= self.limit.into() {
                    break;
                }
                turn = *end + MINUTE;
            }
            held -= of_slot;
        }
        turn
    }

    fn take(&self, spent: &mut Spent, turn: Duration, units: u32) {
        if self.limit == 0 {
            return;
        }
        spent.last = turn;
        let end = slot_end(turn);
        match spent.slots.back_mut() {
            Some((last, of_slot)) if *last == end => *of_slot += u64::from(units),
            _ => spent.slots.push_back((end, units.into())),
        }
    }

    fn is_whole(&self, now: Duration) -> bool {
        let spent = lock(&self.spent);
        spent
            .slots
            .back()
            .is_none_or(|(end, _)| *end + MINUTE <= now)
    }
}

/// The end of the slot that holds this moment.
fn slot_end(moment: Duration) -> Duration {
    let slots = moment.as_millis().div_ceil(SLOT.as_millis());
    SLOT * u32::try_from(slots).unwrap_or(u32::MAX)
}

fn too_many() -> Error {
    Error::new(
        ErrorKind::RateLimited,
        "as many requests of this account wait for their turn as may wait",
    )
    .with_retry_after(Duration::from_secs(1))
}

fn too_late(wait: Duration) -> Error {
    Error::new(
        ErrorKind::RateLimited,
        "this account is called more than the product allows, and its turn would come too late",
    )
    .with_retry_after(wait)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const NOW: Duration = Duration::from_secs(1000);
    const LONG: Duration = Duration::from_secs(600);

    fn limiter(units_per_minute: u32, writes_per_minute: Option<u32>) -> RateLimiter {
        let quota = Quota {
            units_per_minute,
            writes_per_minute,
            concurrency: 8,
        };
        RateLimiter::new(Some(quota), 1000)
    }

    #[test]
    fn the_whole_quota_of_a_minute_can_be_spent_and_not_a_unit_more() {
        for (limit, each, calls) in [(60, 1, 60), (6000, 20, 300), (180, 1, 180)] {
            let window = Window::new(limit);
            for call in 0..calls {
                assert_eq!(
                    window.reserve(each, NOW, LONG).unwrap(),
                    Duration::ZERO,
                    "{call} of {calls}"
                );
            }
            assert_eq!(window.reserve(each, NOW, LONG).unwrap(), MINUTE);
        }
    }

    #[test]
    fn minute_after_minute_brings_the_whole_quota_again() {
        let window = Window::new(60);
        let spent: u32 = (0..600)
            .map(|second| {
                let taken = window.reserve(1, NOW + Duration::from_secs(second), Duration::ZERO);
                u32::from(taken.is_ok())
            })
            .sum();
        assert_eq!(spent, 600, "one a second is the quota");
        let window = Window::new(60);
        let taken = |at: Duration| window.reserve(1, NOW + at, Duration::ZERO).is_ok();
        for minute in 0..10 {
            let of_minute = (0..120).filter(|_| taken(MINUTE * minute)).count();
            assert_eq!(of_minute, 60, "minute {minute}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_sixty_seconds_hold_more_than_the_quota(
            calls in proptest::collection::vec((0_u64..20_000, 1_u32..30), 1..200),
        ) {
            const LIMIT: u32 = 60;
            let window = Window::new(LIMIT);
            let (mut now, mut spends) = (NOW, Vec::new());
            for (pause, units) in calls {
                now += Duration::from_millis(pause % 1500);
                if let Ok(wait) = window.reserve(units, now, LONG) {
                    spends.push((now + wait, units));
                }
            }
            for (from, _) in &spends {
                let held: u32 = spends
                    .iter()
                    .filter(|(at, _)| at >= from && *at < *from + MINUTE)
                    .map(|(_, units)| units)
                    .sum();
                proptest::prop_assert!(held <= LIMIT, "{held} units within a minute of {from:?}");
            }
        }
    }

    #[test]
    fn what_costs_more_than_the_quota_has_a_minute_of_its_own() {
        let window = Window::new(60);
        assert_eq!(window.reserve(100, NOW, LONG).unwrap(), Duration::ZERO);
        assert_eq!(window.reserve(100, NOW, LONG).unwrap(), MINUTE);
        assert_eq!(window.reserve(1, NOW, LONG).unwrap(), MINUTE * 2);
    }

    #[test]
    fn a_turn_after_the_deadline_is_refused_and_reserves_nothing() {
        let window = Window::new(6000);
        window.reserve(6000, NOW, Duration::ZERO).unwrap();
        let error = window
            .reserve(3000, NOW, Duration::from_secs(10))
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::RateLimited);
        assert_eq!(error.retry_after(), Some(MINUTE));
        assert_eq!(
            window.reserve(6000, NOW + MINUTE, Duration::ZERO).unwrap(),
            Duration::ZERO
        );
    }

    #[test]
    fn reads_and_writes_have_their_own_quota_where_the_product_counts_them_apart() {
        use crate::testing::World;
        let world = World::new();
        let runtime = world.process(0);
        let spends = |limiter: &RateLimiter, effect| {
            let one = || limiter.acquire(runtime.as_ref(), Cost::of(effect, 1), Duration::ZERO);
            (0..100).filter(|_| world.run(one()).is_ok()).count()
        };
        let apart = limiter(60, Some(30));
        assert_eq!(spends(&apart, Effect::Read), 60);
        assert_eq!(spends(&apart, Effect::Write), 30);
        assert_eq!(spends(&apart, Effect::Delete), 0);
        let together = limiter(60, None);
        assert_eq!(spends(&together, Effect::Write), 60);
        assert_eq!(spends(&together, Effect::Read), 0);
    }

    #[test]
    fn a_batch_of_reads_and_writes_is_charged_to_both_quotas() {
        let runtime = crate::testing::World::new();
        let (runtime, world) = (runtime.process(0), runtime);
        let limiter = limiter(60, Some(30));
        let spend = |reads, writes| {
            let cost = Cost { reads, writes };
            let one = limiter.acquire(runtime.as_ref(), cost, Duration::ZERO);
            world.run(one).is_ok()
        };
        assert!(spend(40, 10));
        assert!(!spend(21, 1), "there are 20 reads left");
        assert!(!spend(1, 21), "and 20 writes");
        assert!(spend(20, 20), "what was refused has spent nothing");
        assert!(!spend(1, 0) && !spend(0, 1));
    }

    #[test]
    fn only_so_many_requests_of_an_account_wait() {
        use crate::testing::World;
        let (world, waiting) = (World::new(), 3);
        let runtime = world.process(0);
        let quota = Quota {
            units_per_minute: 1,
            ..Quota::UNLIMITED
        };
        let limiter = Arc::new(RateLimiter::new(Some(quota), waiting));
        for _ in 0..4 {
            let (limiter, runtime) = (Arc::clone(&limiter), world.process(0));
            world.process(0).spawn(Box::pin(async move {
                let one = Cost::of(Effect::Read, 1);
                drop(limiter.acquire(runtime.as_ref(), one, LONG).await);
            }));
        }
        world.run_until_idle();
        let more = || world.run(limiter.acquire(runtime.as_ref(), Cost::of(Effect::Read, 1), LONG));
        let error = more().err().expect("one was sent, and three wait");
        assert_eq!(error.kind(), ErrorKind::RateLimited);
        world.advance(MINUTE);
        assert!(more().is_ok());
    }

    #[test]
    fn a_limiter_that_counts_is_kept_and_one_that_does_not_is_forgotten() {
        let limiters = RateLimiters::new(1000);
        let quota = Quota {
            units_per_minute: 60,
            ..Quota::UNLIMITED
        };
        let account = |number: u128| AccountId::from_uuid(Uuid::from_u128(number));
        let spend = |limiter: &RateLimiter, now| {
            let limits = limiter.0.as_ref().unwrap();
            limits.reserve(Cost::of(Effect::Read, 60), now, Duration::ZERO)
        };
        for number in 0..100_000 {
            spend(&limiters.of(account(number), Some(quota)), NOW).unwrap();
        }
        let named = limiters.of(account(7), Some(quota));
        limiters.sweep(NOW + MINUTE - SLOT);
        assert_eq!(limiters.len(), 100_000, "all have spent their quota");
        let again = limiters.of(account(9), Some(quota));
        spend(&again, NOW + MINUTE - SLOT).unwrap_err();
        drop(again);
        limiters.sweep(NOW + MINUTE + SLOT);
        assert_eq!(limiters.len(), 1, "a snapshot names one");
        assert!(Arc::ptr_eq(&named, &limiters.of(account(7), Some(quota))));
    }

    #[test]
    fn an_account_keeps_its_limiter_until_its_quota_changes() {
        let limiters = RateLimiters::new(1000);
        let account = AccountId::from_uuid(Uuid::from_u128(1));
        let quota = |units_per_minute| {
            Some(Quota {
                units_per_minute,
                ..Quota::UNLIMITED
            })
        };
        let first = limiters.of(account, quota(60));
        assert!(Arc::ptr_eq(&first, &limiters.of(account, quota(60))));
        let second = limiters.of(account, quota(600));
        assert!(!Arc::ptr_eq(&first, &second));
        assert_eq!(limiters.of(account, None).quota(), None);
    }
}
