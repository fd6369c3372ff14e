//! Keeps accounts within their product's published quota.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
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
const CAPACITY: usize = 100_000;

/// The rate limiters of all accounts that were called lately.
#[derive(Default)]
pub(crate) struct RateLimiters(Mutex<HashMap<AccountId, Arc<RateLimiter>>>);

impl RateLimiters {
    /// That of an account with this quota; one with another quota starts over.
    pub(crate) fn of(&self, account: AccountId, quota: Option<Quota>) -> Arc<RateLimiter> {
        let mut limiters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if limiters.len() >= CAPACITY {
            // Only those that are not in use are forgotten.
            limiters.retain(|_, limiter| Arc::strong_count(limiter) > 1);
        }
        let limiter = limiters
            .entry(account)
            .or_insert_with(|| Arc::new(RateLimiter::new(quota)));
        if limiter.quota() != quota {
            *limiter = Arc::new(RateLimiter::new(quota));
        }
        Arc::clone(limiter)
    }
}

/// Keeps one account within its quota: in no 60 seconds more is used, and all of it can be.
pub(crate) struct RateLimiter(Option<Limits>);

struct Limits {
    quota: Quota,
    /// Of all requests, or of reads where writes are counted apart.
    units: Window,
    writes: Option<Window>,
    at_once: Arc<Semaphore>,
}

impl RateLimiter {
    fn new(quota: Option<Quota>) -> Self {
        Self(quota.map(|quota| Limits {
            quota,
            units: Window::new(quota.units_per_minute),
            writes: quota.writes_per_minute.map(Window::new),
            at_once: Arc::new(Semaphore::new(quota.concurrency.max(1).into())),
        }))
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
        effect: Effect,
        units: u32,
        left: Duration,
    ) -> Result<Permit> {
        let Some(limits) = &self.0 else {
            return Ok(Permit::default());
        };
        let writes = limits.writes.as_ref().filter(|_| effect != Effect::Read);
        let window = writes.unwrap_or(&limits.units);
        let wait = window.reserve(units, runtime.monotonic(), left)?;
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
        if self.limit == 0 {
            return Ok(Duration::ZERO);
        }
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let Spent { slots, last } = &mut *spent;
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
        let wait = turn - now;
        if wait > left {
            return Err(too_late(wait));
        }
        *last = turn;
        let end = slot_end(turn);
        match slots.back_mut() {
            Some((last, of_slot)) if *last == end => *of_slot += u64::from(units),
            _ => slots.push_back((end, units.into())),
        }
        Ok(wait)
    }
}

/// The end of the slot that holds this moment.
fn slot_end(moment: Duration) -> Duration {
    let slots = moment.as_millis().div_ceil(SLOT.as_millis());
    SLOT * u32::try_from(slots).unwrap_or(u32::MAX)
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
        RateLimiter::new(Some(Quota {
            units_per_minute,
            writes_per_minute,
            concurrency: 8,
        }))
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
            let one = || limiter.acquire(runtime.as_ref(), effect, 1, Duration::ZERO);
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
    fn an_account_keeps_its_limiter_until_its_quota_changes() {
        let limiters = RateLimiters::default();
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
