//! Follows the feed of events to drop cached data that another process has changed. While the feed is followed, cached
//! data is used without a query.

use std::{
    fmt,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::{FutureExt as _, select};
use jiff::{SignedDuration, Timestamp};

use super::{Context, moment::Moment, single_flight::SingleFlight, snapshots::PATIENCE};
use crate::{Result, domain::Event, identifier::EventId};

/// How long one read of the feed is relied on. A change that revokes access in another process takes effect after this
/// time at the latest.
const CURRENT: Duration = Duration::from_secs(1);
/// How often the feed is read while anyone relies on it.
const PERIOD: Duration = Duration::from_millis(250);
/// Without use, the feed is read for this long.
const UNUSED: Duration = Duration::from_secs(5);
/// Everything is read again after this time, even while the feed is followed.
pub(super) const KEPT: Duration = Duration::from_secs(60);
/// After a longer pause, the process doesn't continue in the feed, because short-lived events may already be removed.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);
/// Number of events per read, and maximum number of reads per look.
const READ: u32 = 200;
const PAGES: usize = 5;

/// How far this process has read the feed.
#[derive(Default)]
pub(crate) struct Follower {
    seen: Mutex<Option<Seen>>,
    looks: SingleFlight<(), Result<()>>,
    /// Whether regular looks are running.
    runs: AtomicBool,
    /// When anyone last relied on them.
    used_at: Moment,
}

/// Result of the last look.
#[derive(Debug, Clone, Copy)]
struct Seen {
    last: Option<Place>,
    /// When it started. All earlier commits are known.
    began: Duration,
    /// The same time by the store's clock, which continues while this machine sleeps.
    at: Timestamp,
    /// Since when nothing was missed. Data read before may have changed unnoticed.
    since: Duration,
}

/// The last event that was read. The ID detects a different event in its place, for example in a restored database or
/// one that lost commits in a failover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    position: i64,
    id: EventId,
}

impl Place {
    fn of(event: &Event) -> Option<Self> {
        Some(Self {
            position: event.position?,
            id: event.id,
        })
    }
}

/// Times that say which cached data can be used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reliable {
    pub(crate) since: Duration,
    /// When this was requested, and when it was known.
    pub(crate) began: Duration,
    pub(crate) now: Duration,
}

impl fmt::Debug for Follower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Follower").field(&*self.seen()).finish()
    }
}

impl Follower {
    /// The time since when cached data hasn't been changed by another process, up to a second ago. `None` if the feed
    /// wasn't read in the last second.
    fn reliable_since(&self, now: Duration) -> Option<Duration> {
        let seen = (*self.seen())?;
        let is_current = now.saturating_sub(seen.began) < CURRENT;
        is_current.then(|| seen.since.max(now.saturating_sub(KEPT)))
    }

    fn seen(&self) -> MutexGuard<'_, Option<Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_used(&self, now: Duration) -> bool {
        now.saturating_sub(self.used_at.get()) < UNUSED
    }
}

impl Context {
    /// Cached data that was read at this time or later can be used. While the feed is followed, this needs no query.
    /// Otherwise, the caller waits for a look at the feed, which all callers share. While the store is unavailable, the
    /// last known time is used.
    pub(crate) async fn reliable_since(&self) -> Reliable {
        let began = self.host.monotonic();
        self.follow(began);
        let second = began.saturating_sub(CURRENT);
        if let Some(since) = self.memory.follower.reliable_since(began) {
            return Reliable {
                since: since.min(second),
                began,
                now: began,
            };
        }
        if !self.store.is_away() {
            let patience = self.host.runtime.sleep(self.at_most(PATIENCE));
            select(self.look(), patience).await;
        }
        let since = self.memory.follower.reliable_since(began);
        Reliable {
            since: since.map_or(second, |since| since.min(second)),
            began,
            now: self.host.monotonic(),
        }
    }

    /// Looks at the feed regularly, until no one has relied on it for a while.
    fn follow(&self, now: Duration) {
        let follower = &self.memory.follower;
        follower.used_at.set(now);
        if follower.runs.load(Ordering::Acquire) || follower.runs.swap(true, Ordering::AcqRel) {
            return;
        }
        let weak = self.downgrade();
        let first = self.host.runtime.sleep(PERIOD);
        self.host.runtime.spawn(Box::pin(async move {
            let mut pause = first;
            loop {
                pause.await;
                let Some(context) = weak.upgrade() else {
                    return;
                };
                let now = context.host.monotonic();
                if !context.memory.follower.is_used(now) || context.host.tasks.open().is_err() {
                    context.memory.follower.runs.store(false, Ordering::Release);
                    return;
                }
                if !context.store.is_away() {
                    let _ = context.look().await;
                }
                pause = context.host.runtime.sleep(PERIOD);
            }
        }));
    }

    /// Reads new events of the feed, or joins a running look, which continues even if no one waits for it.
    fn look(&self) -> impl Future<Output = Result<()>> + Unpin + Send + 'static {
        let runtime = self.host.runtime.as_ref();
        self.memory.follower.looks.join(runtime, (), |guard| {
            let context = self.clone();
            async move {
                let looked = context.read_on().await;
                drop(guard);
                looked
            }
            .boxed()
        })
    }

    async fn read_on(&self) -> Result<()> {
        let (began, at) = (self.host.monotonic(), self.host.now());
        let seen = *self.memory.follower.seen();
        let seen = seen.filter(|seen| at.duration_since(seen.at).abs() < LONGEST_PAUSE);
        let mut next = None;
        if let Some(seen) = seen
            && let Some(last) = self.catch_up(seen.last).await?
        {
            next = Some(Seen {
                last,
                began,
                at,
                ..seen
            });
        }
        let next = match next {
            Some(next) => next,
            None => {
                let last = self.store.last_event().await?;
                Seen {
                    last: last.and_then(|last| Place::of(&last.row)),
                    began,
                    at,
                    since: self.host.monotonic(),
                }
            }
        };
        *self.memory.follower.seen() = Some(next);
        Ok(())
    }

    /// Drops data that the events after a place have changed, and returns the last place. `None` if the feed doesn't
    /// continue from there, or has too many new events.
    async fn catch_up(&self, mut last: Option<Place>) -> Result<Option<Option<Place>>> {
        for _ in 0..PAGES {
            // The event at that place is read again, to detect that another one has replaced it.
            let after = last.map(|place| place.position.saturating_sub(1));
            let rows = self.store.events(None, after, READ).await?;
            let all = rows.len() < READ as usize;
            let events: Vec<Event> = rows.into_iter().map(|found| found.row).collect();
            if last.is_some() && events.first().and_then(Place::of) != last {
                return Ok(None);
            }
            let new = events
                .get(usize::from(last.is_some())..)
                .unwrap_or_default();
            self.forget_changed(new);
            last = new.last().map_or(last, Place::of);
            if all {
                return Ok(Some(last));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
