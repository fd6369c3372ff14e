//! Keeps accounts within their product's published quota.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::future::{Either, select};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Endpoints;
use crate::{Error, ErrorKind, Result, identifier::AccountId, ports::Runtime, product::Quota};

const MINUTE: Duration = Duration::from_secs(60);
const CAPACITY: usize = 100_000;

/// The rate limiters of all accounts that were called lately.
#[derive(Default)]
pub(crate) struct RateLimiters(Mutex<HashMap<AccountId, Arc<RateLimiter>>>);

impl RateLimiters {
    pub(crate) fn of(&self, account: AccountId, endpoints: &Endpoints) -> Arc<RateLimiter> {
        let mut limiters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if limiters.len() >= CAPACITY {
            // Only those that are not in use are forgotten.
            limiters.retain(|_, limiter| Arc::strong_count(limiter) > 1);
        }
        Arc::clone(limiters.entry(account).or_insert_with(|| {
            Arc::new(RateLimiter::new(
                endpoints.rate_limited.then_some(endpoints.product.quota),
            ))
        }))
    }
}

/// Keeps one account within its product's published quota.
///
/// Half of the minute's quota can be used at once, and half flows back over a minute: in no 60 seconds is more used than
/// the product allows.
pub(crate) struct RateLimiter(Option<Limits>);

struct Limits {
    /// Time that one unit takes to flow back.
    unit: Duration,
    /// How far ahead of the flow an account may run; `None` where the product names no units.
    burst: Option<Duration>,
    /// When everything reserved so far has flowed back.
    free_at: Mutex<Duration>,
    at_once: Arc<Semaphore>,
}

impl RateLimiter {
    fn new(quota: Option<Quota>) -> Self {
        Self(quota.map(|quota| {
            Limits {
                unit: MINUTE
                    .checked_div(quota.units_per_minute / 2)
                    .unwrap_or_default(),
                burst: (quota.units_per_minute >= 2).then_some(MINUTE),
                free_at: Mutex::new(Duration::ZERO),
                at_once: Arc::new(Semaphore::new(quota.concurrency.max(1).into())),
            }
        }))
    }

    /// Waits for this account's turn.
    pub(crate) async fn acquire(
        &self,
        runtime: &dyn Runtime,
        units: u32,
        left: Duration,
    ) -> Result<Permit> {
        let Some(limits) = &self.0 else {
            return Ok(Permit::default());
        };
        let wait = limits.reserve(units, runtime.monotonic(), left)?;
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

impl Limits {
    /// How long to wait before these units may be used. Nothing is reserved where the wait would be longer than `left`.
    fn reserve(&self, units: u32, now: Duration, left: Duration) -> Result<Duration> {
        let Some(burst) = self.burst else {
            return Ok(Duration::ZERO);
        };
        let mut free_at = self.free_at.lock().unwrap_or_else(PoisonError::into_inner);
        let next = (*free_at).max(now) + self.unit * units;
        let wait = next.saturating_sub(now + burst);
        if wait > left {
            return Err(too_late(wait));
        }
        *free_at = next;
        Ok(wait)
    }
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
    use super::*;

    fn limits() -> Limits {
        match RateLimiter::new(Some(Quota {
            units_per_minute: 6000,
            concurrency: 8,
        })) {
            RateLimiter(Some(limits)) => limits,
            RateLimiter(None) => unreachable!("a quota gives limits"),
        }
    }

    #[test]
    fn half_at_once_and_half_over_a_minute() {
        let limits = limits();
        let (now, left) = (Duration::from_secs(1000), Duration::from_secs(120));
        assert_eq!(limits.reserve(3000, now, left).unwrap(), Duration::ZERO);
        assert_eq!(
            limits.reserve(20, now, left).unwrap(),
            Duration::from_millis(400)
        );
        assert_eq!(
            limits.reserve(20, now + MINUTE, left).unwrap(),
            Duration::ZERO
        );
    }

    #[test]
    fn a_turn_after_the_deadline_is_refused_and_reserves_nothing() {
        let limits = limits();
        let now = Duration::from_secs(1000);
        limits.reserve(3000, now, Duration::ZERO).unwrap();
        let error = limits
            .reserve(3000, now, Duration::from_secs(10))
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::RateLimited);
        assert_eq!(error.retry_after(), Some(MINUTE));
        assert_eq!(
            limits.reserve(1, now, Duration::from_secs(10)).unwrap(),
            Duration::from_millis(20)
        );
    }
}
