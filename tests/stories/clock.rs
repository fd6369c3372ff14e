//! Real tasks with a clock that a story can move.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use stead::TokioRuntime;
use stead_core::ports::{BoxFuture, Runtime};

use crate::place::Place;

/// The pause between two checks by a task that waits for another process's refresh, after the first few. Nothing else
/// pauses for this long.
const BETWEEN_LOOKS: Duration = Duration::from_millis(400);

/// The pause between two rounds of maintenance.
const BETWEEN_ROUNDS: Duration = Duration::from_secs(30);

/// The machine's runtime. A story can move its time of day, and the time of a database moves with it.
pub struct Clock {
    runtime: TokioRuntime,
    place: Option<Place>,
    /// If set, the time of day stands still here until a story moves it.
    still: Option<Timestamp>,
    ahead: AtomicI64,
    slept: AtomicBool,
}

impl Clock {
    pub fn new() -> Arc<Self> {
        Self::made(None, None)
    }

    /// The clock of a stage. Its database has the same time.
    pub fn of(place: &Place) -> Arc<Self> {
        Self::made(Some(place.clone()), None)
    }

    /// A clock that stands still until a story moves it. Periodic maintenance doesn't run, so a story can predict every
    /// time.
    pub fn still_at(now: Timestamp) -> Arc<Self> {
        Self::made(None, Some(now))
    }

    fn made(place: Option<Place>, still: Option<Timestamp>) -> Arc<Self> {
        let runtime = TokioRuntime::current().expect("a story runs inside a runtime");
        Arc::new(Self {
            runtime,
            place,
            still,
            ahead: AtomicI64::new(0),
            slept: AtomicBool::new(false),
        })
    }

    /// Advances the time of day and the monotonic time.
    pub fn advance(&self, by: SignedDuration) {
        self.ahead.fetch_add(by.as_secs(), Ordering::SeqCst);
        if let Some(place) = &self.place {
            place.set_time(self.ahead());
        }
    }

    /// Whether a task waits for another process to refresh.
    pub fn waits_for_another(&self) -> bool {
        self.slept.load(Ordering::SeqCst)
    }

    fn ahead(&self) -> i64 {
        self.ahead.load(Ordering::SeqCst)
    }
}

impl Runtime for Clock {
    fn now(&self) -> Timestamp {
        let now = self.still.unwrap_or_else(|| self.runtime.now());
        now + SignedDuration::from_secs(self.ahead())
    }
    fn monotonic(&self) -> Duration {
        self.runtime.monotonic() + Duration::from_secs(self.ahead().unsigned_abs())
    }
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        if duration == BETWEEN_LOOKS {
            self.slept.store(true, Ordering::SeqCst);
        }
        if self.still.is_some() && duration == BETWEEN_ROUNDS {
            return Box::pin(std::future::pending());
        }
        self.runtime.sleep(duration)
    }
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.runtime.spawn(task);
    }
}
