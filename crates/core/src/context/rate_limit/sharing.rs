//! Keeps all processes of a store together within an account's quota.
//!
//! A process without a slice spends the free part of the quota without asking. To spend more, it claims a slice with a
//! commit, and renews it while it uses it. While the store is unavailable, it continues with the slice that it has.

use std::{
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::future::{Either, select};
use jiff::Timestamp;

use super::{Cost, Limits, RateLimiter, lock};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{
        QuotaShare,
        quota_share::{Asked, free_part, pool},
    },
    identifier::AccountId,
    store::Versioned,
};

/// How long a request waits for a slice.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a slice in use is renewed.
const RENEWED: Duration = Duration::from_secs(15);
/// How long a slice is used without being renewed.
const USED: Duration = Duration::from_secs(20);
/// Time from a renewal until others can take the slice. By then, everything that was spent within `USED` is a minute
/// old.
const LEASE: Duration = Duration::from_secs(90);
/// Pause after an unsuccessful claim.
const AGAIN: Duration = Duration::from_secs(5);

/// State of a limiter's slice.
#[derive(Default)]
pub(super) struct Sharing {
    slice: Mutex<Slice>,
    /// Held by the request that claims.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Slice {
    /// When the slice was last claimed or renewed, or when that was last tried. `None` without a slice.
    claimed_at: Option<Duration>,
    /// No claim before this time.
    next_at: Duration,
}

/// When a slice needs to be claimed or renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    No,
    /// While requests continue.
    Soon,
    /// Before the request is charged.
    Now,
}

impl Context {
    /// Claims or renews a slice of an account's quota, if this request needs it.
    pub(crate) async fn share_quota(
        &self,
        account: AccountId,
        limiter: &Arc<RateLimiter>,
        cost: Cost,
    ) {
        match limiter.due(cost, self.host.monotonic()) {
            Due::No => {}
            Due::Soon => {
                let limiter = Arc::clone(limiter);
                self.detach(|context| async move {
                    context
                        .claim_slice(account, &limiter, cost, Due::Soon)
                        .await;
                });
            }
            // Boxed, because it's rare. Otherwise, its size would be part of every call's future.
            Due::Now => Box::pin(self.claim_slice(account, limiter, cost, Due::Now)).await,
        }
    }

    /// One request claims for all requests of the account that wait.
    async fn claim_slice(&self, account: AccountId, limiter: &RateLimiter, cost: Cost, due: Due) {
        let Some((limits, sharing)) = limiter.sharing() else {
            return;
        };
        let _turn = sharing.turn.lock().await;
        let now = self.host.monotonic();
        if due == Due::Now && limiter.due(cost, now) != Due::Now {
            return;
        }
        let claimed = pin!(self.commit_slice(account, limits, cost));
        let claimed = match select(claimed, self.host.runtime.sleep(PATIENCE)).await {
            Either::Left((claimed, _)) => claimed,
            Either::Right(_) => Err(Error::new(
                ErrorKind::StorageUnavailable,
                "the store doesn't respond in time",
            )),
        };
        let mut slice = lock(&sharing.slice);
        let brought_more = match claimed {
            Ok(allowed) => {
                slice.claimed_at = Some(now);
                let windows = limits.windows().zip(allowed);
                windows.fold(false, |more, (window, limit)| window.allow(limit) | more)
            }
            Err(error) => {
                tracing::debug!(%account, kind = %error.kind(), "couldn't claim a share of a quota");
                // While the store is unavailable, the process keeps using its slice.
                slice.claimed_at = slice.claimed_at.map(|_| now);
                false
            }
        };
        slice.next_at = if brought_more { now } else { now + AGAIN };
    }

    /// The units of each quota that this process can spend from now on.
    async fn commit_slice(
        &self,
        account: AccountId,
        limits: &Limits,
        cost: Cost,
    ) -> Result<Vec<u32>> {
        let load = || async {
            let found = self.store.quota_share(account).await?;
            let now = match &found {
                Some(found) => found.read_at,
                None => self.store.now().await?,
            };
            Ok((found, now))
        };
        let decide = |(found, now): (Option<Versioned<QuotaShare>>, Timestamp)| {
            let monotonic = self.host.monotonic();
            let (row, version) = found.map(|found| (found.row, found.version)).unzip();
            let share = row.unwrap_or_else(|| QuotaShare::new(account));
            let asked = limits.asked(cost, monotonic);
            let ends_at = now
                .checked_add(LEASE + limits.promised(monotonic))
                .unwrap_or(now);
            let (share, allowed) = share.claimed(self.host.process, &asked, now, ends_at);
            // The process stops spending what it gives back before the commit.
            for (window, limit) in limits.windows().zip(&allowed) {
                window.allow_at_most(*limit);
            }
            let change = match version {
                Some(version) => Change::none().update(share, version),
                None => Change::none().insert(share),
            };
            Ok((change, allowed))
        };
        self.change("quota.claim", load, decide).await
    }
}

impl RateLimiter {
    fn sharing(&self) -> Option<(&Limits, &Sharing)> {
        let limits = self.limits.as_ref()?;
        Some((limits, limits.sharing.as_ref()?))
    }

    fn due(&self, cost: Cost, now: Duration) -> Due {
        let Some((limits, sharing)) = self.sharing() else {
            return Due::No;
        };
        let mut slice = lock(&sharing.slice);
        if now < slice.next_at {
            return Due::No;
        }
        let since = |at| now.saturating_sub(at);
        if slice.claimed_at.is_some_and(|at| since(at) >= USED) {
            // Another process may take it soon.
            slice.claimed_at = None;
            for window in limits.windows() {
                window.allow(free_part(window.quota));
            }
        }
        let mut charged = limits.charged(cost);
        if charged.any(|(window, units)| window.is_short(units, now)) {
            return Due::Now;
        }
        if slice.claimed_at.is_some_and(|at| since(at) >= RENEWED) {
            slice.next_at = now + AGAIN;
            return Due::Soon;
        }
        Due::No
    }
}

impl Limits {
    /// The units that this process requests for each quota: twice its use, or a quarter at first.
    fn asked(&self, cost: Cost, now: Duration) -> Vec<Asked> {
        let asked = self.charged(cost).map(|(window, units)| {
            let (quota, spent) = (window.quota, window.peak(now));
            let wanted = match spent.max(units) {
                0 => 0,
                used => used.saturating_mul(2).max(pool(quota) / 4).min(quota),
            };
            Asked {
                quota,
                wanted,
                spent,
            }
        });
        asked.collect()
    }

    /// Time until the turn of the last request that waits.
    fn promised(&self, now: Duration) -> Duration {
        let promised = self.windows().map(|window| window.promised(now));
        promised.max().unwrap_or_default()
    }
}
