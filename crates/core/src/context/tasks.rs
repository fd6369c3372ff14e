//! Work that must not be cut: counted, so that a shutdown can wait for it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use crate::{Error, ErrorKind, Result, ports::Runtime};

#[derive(Debug, Default)]
pub(crate) struct Tasks {
    running: Arc<AtomicUsize>,
    closed: AtomicBool,
}

/// Counts one task until it is dropped, even by a panic.
#[derive(Debug)]
pub(crate) struct TaskGuard(Arc<AtomicUsize>);

impl Tasks {
    pub(crate) fn begin(&self) -> TaskGuard {
        self.running.fetch_add(1, Ordering::AcqRel);
        TaskGuard(Arc::clone(&self.running))
    }

    /// Counts a call, or refuses it once the environment is closed. Counted first, so that none slips by a shutdown.
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

    /// Waits until nothing runs, at most 70 s: longer than a token request with the commit after it.
    pub(crate) async fn drained(&self, runtime: &dyn Runtime) {
        let end = runtime.monotonic() + Duration::from_secs(70);
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
