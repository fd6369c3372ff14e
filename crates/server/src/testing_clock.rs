//! The clock of a test's service: this machine's time, plus the time that the test has added.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use stead::TokioRuntime;
use stead_core::ports::{BoxFuture, Runtime};

#[derive(Debug)]
pub(crate) struct Clock {
    runtime: TokioRuntime,
    /// Seconds that the test has added.
    passed: AtomicI64,
    /// The time at which rates stopped to refill.
    stopped: OnceLock<Duration>,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self {
            runtime: TokioRuntime::current().unwrap(),
            passed: AtomicI64::new(0),
            stopped: OnceLock::new(),
        }
    }

    /// Stops rates from refilling, so that a slow machine makes no difference.
    pub(crate) fn stop(&self) {
        self.stopped.get_or_init(|| self.runtime.monotonic());
    }

    pub(crate) fn pass(&self, time: Duration) {
        let seconds = i64::try_from(time.as_secs()).unwrap();
        self.passed.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Runtime for Clock {
    fn now(&self) -> Timestamp {
        self.runtime.now() + SignedDuration::from_secs(self.passed.load(Ordering::SeqCst))
    }
    fn monotonic(&self) -> Duration {
        let now = || self.runtime.monotonic();
        self.stopped.get().copied().unwrap_or_else(now)
    }
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.runtime.sleep(duration)
    }
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.runtime.spawn(task);
    }
    fn run_blocking(&self, work: Box<dyn FnOnce() + Send>) {
        self.runtime.run_blocking(work);
    }
}
