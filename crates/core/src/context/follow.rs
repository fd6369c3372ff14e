//! Follows the feed of events: what another process has changed is forgotten here, so that what is in memory serves
//! without a query for as long as the feed is followed.

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

/// For so long a look at the feed is relied on: what another process denies acts after it at the latest.
const CURRENT: Duration = Duration::from_secs(1);
/// How often the feed is read while anyone relies on it.
const PERIOD: Duration = Duration::from_millis(250);
/// Without use it is read for so long.
const UNUSED: Duration = Duration::from_secs(5);
/// However closely the feed is followed, everything is read again after so long.
pub(super) const KEPT: Duration = Duration::from_secs(60);
/// After a longer pause the feed is not read on: events of use for a short time only may be gone.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);
/// Events that are read together, and how often that is done in one look.
const READ: u32 = 200;
const PAGES: usize = 5;

/// How far this process has read the feed.
#[derive(Default)]
pub(crate) struct Follower {
    seen: Mutex<Option<Seen>>,
    looks: SingleFlight<(), Result<()>>,
    /// Whether looks are taken by themselves.
    runs: AtomicBool,
    /// When anyone last relied on them.
    used_at: Moment,
}

/// What the last look has shown.
#[derive(Debug, Clone, Copy)]
struct Seen {
    last: Option<Place>,
    /// When it began: what was committed before is known.
    began: Duration,
    /// The same as the store's time, which goes on while this machine sleeps.
    at: Timestamp,
    /// From when on nothing was missed: what was read earlier may have changed unseen.
    since: Duration,
}

/// The last event that was read. Its id tells it from another one in its place: in a database that an older copy has
/// replaced, or that lost commits in a failover.
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

/// From when on what was read serves as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reliable {
    pub(crate) since: Duration,
    /// When it was asked, and when it was known.
    pub(crate) began: Duration,
    pub(crate) now: Duration,
}

impl fmt::Debug for Follower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Follower").field(&*self.seen()).finish()
    }
}

impl Follower {
    /// What was read since this moment was not changed by another process until a second ago; nothing where the feed was not
    /// read in that time.
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
    /// What was read at this moment or later serves as it is. That is known without a query while the feed is followed; else
    /// the caller waits for a look at it, which all share. Where the store is away, what is a second old serves.
    pub(crate) async fn reliable_since(&self) -> Reliable {
        let began = self.monotonic();
        self.follow(began);
        let second = began.saturating_sub(CURRENT);
        if let Some(since) = self.follower.reliable_since(began) {
            return Reliable {
                since: since.min(second),
                began,
                now: began,
            };
        }
        if !self.store_is_away() {
            let patience = self.runtime.sleep(self.at_most(PATIENCE));
            select(self.look(), patience).await;
        }
        let since = self.follower.reliable_since(began);
        Reliable {
            since: since.map_or(second, |since| since.min(second)),
            began,
            now: self.monotonic(),
        }
    }

    /// Looks at the feed from now on, until no one has relied on it for a while.
    fn follow(&self, now: Duration) {
        let follower = &self.follower;
        follower.used_at.set(now);
        if follower.runs.load(Ordering::Acquire) || follower.runs.swap(true, Ordering::AcqRel) {
            return;
        }
        let weak = self.downgrade();
        let first = self.runtime.sleep(PERIOD);
        self.runtime.spawn(Box::pin(async move {
            let mut pause = first;
            loop {
                pause.await;
                let Some(context) = weak.upgrade() else {
                    return;
                };
                let now = context.monotonic();
                if !context.follower.is_used(now) || context.tasks.open().is_err() {
                    context.follower.runs.store(false, Ordering::Release);
                    return;
                }
                if !context.store_is_away() {
                    let _ = context.look().await;
                }
                pause = context.runtime.sleep(PERIOD);
            }
        }));
    }

    /// Reads what is new in the feed, or joins the look that is under way; it goes on whether or not it is waited for.
    fn look(&self) -> impl Future<Output = Result<()>> + Unpin + Send + 'static {
        let runtime = self.runtime.as_ref();
        self.follower.looks.join(runtime, (), |guard| {
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
        let (began, at) = (self.monotonic(), self.now());
        let seen = *self.follower.seen();
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
                    since: self.monotonic(),
                }
            }
        };
        *self.follower.seen() = Some(next);
        Ok(())
    }

    /// Forgets what the events after a place have changed, and gives the last one; nothing where the feed does not go on
    /// from there, or where too much has happened.
    async fn catch_up(&self, mut last: Option<Place>) -> Result<Option<Option<Place>>> {
        for _ in 0..PAGES {
            // The event in that place is read again, so that one that is another is noticed.
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
#[path = "follow_tests.rs"]
mod tests;
