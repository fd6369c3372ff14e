//! Work that continues without its caller. It's counted, so that a shutdown can wait for it.

use std::{
    convert::Infallible,
    fmt,
    pin::pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_channel::oneshot;
use futures_util::{
    FutureExt as _,
    future::{Either, Shared, select},
};

use crate::{Error, ErrorKind, Result, ports::Runtime};

pub(crate) struct Tasks {
    running: Arc<AtomicUsize>,
    closed: AtomicBool,
    /// Dropped to cut calls off.
    cut: Mutex<Option<oneshot::Sender<Infallible>>>,
    was_cut: Shared<oneshot::Receiver<Infallible>>,
}

impl Default for Tasks {
    fn default() -> Self {
        let (cut, was_cut) = oneshot::channel();
        Self {
            running: Arc::default(),
            closed: AtomicBool::default(),
            cut: Mutex::new(Some(cut)),
            was_cut: was_cut.shared(),
        }
    }
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks")
            .field("running", &self.running)
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}

/// Counts one task until it is dropped, even by a panic.
#[derive(Debug)]
pub(crate) struct TaskGuard(Arc<AtomicUsize>);

impl Tasks {
    pub(crate) fn begin(&self) -> TaskGuard {
        self.running.fetch_add(1, Ordering::AcqRel);
        TaskGuard(Arc::clone(&self.running))
    }

    /// Counts a call, or rejects it if the environment is closed. Counting comes first, so that a shutdown can't miss a
    /// call.
    pub(crate) fn enter(&self) -> Result<TaskGuard> {
        let guard = self.begin();
        self.open().map(|()| guard)
    }

    /// Fails once the environment is closed.
    pub(crate) fn open(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) {
            return Err(
                Error::new(ErrorKind::ShuttingDown, "this process is shutting down")
                    .with_retry_after(Duration::from_secs(1)),
            );
        }
        Ok(())
    }

    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Aborts calls. Other work continues.
    pub(crate) fn cut(&self) {
        drop(
            self.cut
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
    }

    /// The result of a call. `None` if it's aborted.
    pub(crate) async fn unless_cut<T>(&self, call: impl Future<Output = T>) -> Option<T> {
        match select(pin!(call), self.was_cut.clone()).await {
            Either::Left((result, _)) => Some(result),
            Either::Right(_) => None,
        }
    }

    /// Waits until nothing is running, for at most `limit`.
    pub(crate) async fn drained(&self, runtime: &dyn Runtime, limit: Duration) {
        let end = runtime.monotonic() + limit;
        while self.running.load(Ordering::Acquire) > 0 && runtime.monotonic() < end {
            runtime.sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for TaskGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
