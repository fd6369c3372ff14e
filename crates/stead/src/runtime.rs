//! Time and tasks of tokio, as a port of core.

use std::time::Duration;

use jiff::Timestamp;
use stead_core::{
    Error, ErrorKind, Result,
    ports::{BoxFuture, Runtime},
};
use tokio::{runtime::Handle, time::Instant};

/// Time and tasks of a tokio runtime. Its tasks run there even when a call is awaited elsewhere.
#[derive(Debug, Clone)]
pub struct TokioRuntime {
    handle: Handle,
    started: Instant,
}

impl TokioRuntime {
    /// The runtime that this code runs in. It needs timers (`enable_time` or `enable_all`).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] outside a tokio runtime.
    pub fn current() -> Result<Self> {
        let handle = Handle::try_current().map_err(|error| {
            Error::new(
                ErrorKind::InvalidRequest,
                "no tokio runtime is running here; build the platform inside one, or give the builder your own runtime",
            )
            .with_source(error)
        })?;
        Ok(Self {
            handle,
            started: Instant::now(),
        })
    }
}

impl Runtime for TokioRuntime {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the adapter through which the time of day comes in"
    )]
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        // People read these times, and nothing needs more precision.
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }

    fn monotonic(&self) -> Duration {
        self.started.elapsed()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let _inside = self.handle.enter();
        Box::pin(tokio::time::sleep(duration))
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.handle.spawn(task);
    }

    fn run_blocking(&self, work: Box<dyn FnOnce() + Send>) {
        self.handle.spawn_blocking(work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_a_runtime_is_an_error() {
        let error = TokioRuntime::current().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    }

    #[tokio::test]
    async fn blocking_work_does_not_block_tasks() {
        let runtime = TokioRuntime::current().unwrap();
        let (release, held) = std::sync::mpsc::channel();
        let (sender, receiver) = tokio::sync::oneshot::channel();
        runtime.run_blocking(Box::new(move || {
            held.recv().unwrap();
            sender.send(()).unwrap();
        }));
        // The only thread of this runtime isn't blocked, so it can end the wait.
        release.send(()).unwrap();
        receiver.await.unwrap();
    }

    #[tokio::test]
    async fn tasks_run_and_time_advances() {
        let runtime = TokioRuntime::current().unwrap();
        let before = runtime.monotonic();
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let sleep = runtime.sleep(Duration::from_millis(1));
        runtime.spawn(Box::pin(async move {
            sleep.await;
            sender.send(()).unwrap();
        }));
        receiver.await.unwrap();
        assert!(runtime.monotonic() > before);
    }
}
