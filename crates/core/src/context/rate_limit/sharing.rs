//! Keeps the processes of one store together within the quota of an account.
//!
//! Without a slice a process spends the free part of the quota, and asks no one. Beyond that it claims a slice by a
//! commit, and renews it while it uses it. While the store is away it goes on with what it holds.

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
/// A slice in use is renewed so often.
const RENEWED: Duration = Duration::from_secs(15);
/// For so long it is used without being renewed.
const USED: Duration = Duration::from_secs(20);
/// From its renewal on until others may take it: what was spent within `USED` is a minute old then.
const LEASE: Duration = Duration::from_secs(90);
/// Where a claim brought nothing, the next one waits.
const AGAIN: Duration = Duration::from_secs(5);

/// What a limiter knows of its slice.
#[derive(Default)]
pub(super) struct Sharing {
    slice: Mutex<Slice>,
    /// Of the request that claims.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Slice {
    /// When it was claimed or renewed last, where there is one; or when that was last tried.
    claimed_at: Option<Duration>,
    /// No claim before that.
    next_at: Duration,
}

/// When a slice has to be claimed or renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    No,
    /// While requests go on.
    Soon,
    /// Before the request is charged.
    Now,
}

impl Context {
    /// Claims or renews a slice of an account's quota, where this request needs it.
    pub(crate) async fn share_quota(
        &self,
        account: AccountId,
        limiter: &Arc<RateLimiter>,
        cost: Cost,
    ) {
        match limiter.due(cost, self.monotonic()) {
            Due::No => {}
            Due::Soon => {
                let limiter = Arc::clone(limiter);
                self.detach(|context| async move {
                    context
                        .claim_slice(account, &limiter, cost, Due::Soon)
                        .await;
                });
            }
            // Boxed, as all that is rare on the way of a call: else every call would have its size.
            Due::Now => Box::pin(self.claim_slice(account, limiter, cost, Due::Now)).await,
        }
    }

    /// One request claims for all of the account that wait meanwhile.
    async fn claim_slice(&self, account: AccountId, limiter: &RateLimiter, cost: Cost, due: Due) {
        let Some((limits, sharing)) = limiter.sharing() else {
            return;
        };
        let _turn = sharing.turn.lock().await;
        let now = self.monotonic();
        if due == Due::Now && limiter.due(cost, now) != Due::Now {
            return;
        }
        let claimed = pin!(self.commit_slice(account, limits, cost));
        let claimed = match select(claimed, self.runtime.sleep(PATIENCE)).await {
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
                // While the store is away, what is held is used.
                slice.claimed_at = slice.claimed_at.map(|_| now);
                false
            }
        };
        slice.next_at = if brought_more { now } else { now + AGAIN };
    }

    /// What this process may spend of each quota from now on.
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
            let monotonic = self.monotonic();
            let (row, version) = found.map(|found| (found.row, found.version)).unzip();
            let share = row.unwrap_or_else(|| QuotaShare::new(account));
            let asked = limits.asked(cost, monotonic);
            let ends_at = now
                .checked_add(LEASE + limits.promised(monotonic))
                .unwrap_or(now);
            let (share, allowed) = share.claimed(self.process, &asked, now, ends_at);
            // What is given back is not spent during the commit.
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
            // It may be another's before long.
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
    /// What this process asks for, for each quota: twice of what it uses, and at first a quarter.
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

    /// How long until the last request that waits for its turn has it.
    fn promised(&self, now: Duration) -> Duration {
        let promised = self.windows().map(|window| window.promised(now));
        promised.max().unwrap_or_default()
    }
}
