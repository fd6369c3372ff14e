//! A runtime for tests. Its clock only moves when the test moves it.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

use jiff::Timestamp;
use stead_core::ports::{BoxFuture, Runtime};

/// A [`Runtime`] whose time stands still until [`advance`](Self::advance) moves it. Clones share their time and tasks.
///
/// A spawned task waits in a list until the test calls [`run_spawned`](Self::run_spawned).
#[derive(Clone)]
pub struct ManualClock {
    start: Timestamp,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    time: Mutex<Time>,
    tasks: Mutex<Vec<BoxFuture<'static, ()>>>,
}

#[derive(Default)]
struct Time {
    elapsed: Duration,
    sleepers: Vec<Waker>,
}

impl ManualClock {
    /// A clock that stands at `start`.
    pub fn new(start: Timestamp) -> Self {
        Self {
            start,
            shared: Arc::default(),
        }
    }

    /// Advances the time, and wakes tasks that slept until then.
    ///
    /// # Panics
    /// At the end of the calendar.
    pub fn advance(&self, duration: Duration) {
        let sleepers = {
            let mut time = self.time();
            time.elapsed += duration;
            std::mem::take(&mut time.sleepers)
        };
        sleepers.into_iter().for_each(Waker::wake);
    }

    /// Runs all spawned tasks to their end, and the tasks that they spawn. If a task sleeps until
    /// [`advance`](Self::advance), the others still run.
    pub async fn run_spawned(&self) {
        let mut running = Vec::new();
        poll_fn(|context| {
            loop {
                running.append(&mut *lock(&self.shared.tasks));
                running.retain_mut(|task| task.as_mut().poll(context).is_pending());
                if self.spawned() == 0 && running.is_empty() {
                    return Poll::Ready(());
                }
                if self.spawned() == 0 {
                    return Poll::Pending;
                }
            }
        })
        .await;
    }

    /// The number of tasks that wait to run.
    pub fn spawned(&self) -> usize {
        lock(&self.shared.tasks).len()
    }

    fn time(&self) -> MutexGuard<'_, Time> {
        lock(&self.shared.time)
    }
}

impl Default for ManualClock {
    /// A clock that stands at the beginning of 2026.
    fn default() -> Self {
        Self::new(Timestamp::constant(1_767_225_600, 0))
    }
}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManualClock")
            .field("now", &self.now())
            .finish_non_exhaustive()
    }
}

impl Runtime for ManualClock {
    fn now(&self) -> Timestamp {
        self.start + self.time().elapsed
    }
    fn monotonic(&self) -> Duration {
        self.time().elapsed
    }
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let until = self.time().elapsed + duration;
        Box::pin(Sleep {
            shared: Arc::clone(&self.shared),
            until,
        })
    }
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        lock(&self.shared.tasks).push(task);
    }
}

struct Sleep {
    shared: Arc<Shared>,
    until: Duration,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut time = lock(&self.shared.time);
        if time.elapsed >= self.until {
            return Poll::Ready(());
        }
        if !time
            .sleepers
            .iter()
            .any(|waker| waker.will_wake(context.waker()))
        {
            time.sleepers.push(context.waker().clone());
        }
        Poll::Pending
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // After a failed test, a second panic would hide the first.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn advancing_the_time_wakes_sleepers() {
        let clock = ManualClock::default();
        let start = clock.now();
        let mut sleep = clock.sleep(Duration::from_secs(5));
        assert!((&mut sleep).now_or_never().is_none());
        clock.advance(Duration::from_secs(4));
        assert!((&mut sleep).now_or_never().is_none());
        clock.advance(Duration::from_secs(1));
        assert!(sleep.now_or_never().is_some());
        assert_eq!(
            clock.now().duration_since(start),
            jiff::SignedDuration::from_secs(5)
        );
        assert_eq!(clock.monotonic(), Duration::from_secs(5));
    }

    #[test]
    fn run_spawned_runs_nested_tasks() {
        let clock = ManualClock::default();
        let inner = clock.clone();
        clock.spawn(Box::pin(async move { inner.spawn(Box::pin(async {})) }));
        assert_eq!(clock.spawned(), 1);
        assert!(clock.run_spawned().now_or_never().is_some());
        assert_eq!(clock.spawned(), 0);
    }
}
