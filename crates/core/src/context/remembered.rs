//! Data that is read as a whole, and cached for as long as snapshots of accounts.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt as _;

use super::{Context, Shared, single_flight::SingleFlight};
use crate::{Result, ports::BoxFuture};

/// The last read data, and running reads.
pub(crate) struct Remembered<T> {
    last: Mutex<Option<(Duration, Arc<T>)>>,
    readings: SingleFlight<u64, Result<Arc<T>>>,
    /// Increases with every change by this process, so earlier reads aren't used after it.
    epoch: AtomicU64,
}

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self {
            last: Mutex::default(),
            readings: SingleFlight::default(),
            epoch: AtomicU64::new(0),
        }
    }
}

impl<T> fmt::Debug for Remembered<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remembered").finish_non_exhaustive()
    }
}

impl<T> Remembered<T> {
    /// The next call reads again.
    pub(crate) fn forget(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
        *self.last() = None;
    }

    fn keep(&self, epoch: u64, read_at: Duration, value: &Arc<T>) {
        let mut last = self.last();
        if self.epoch.load(Ordering::Acquire) == epoch {
            *last = Some((read_at, Arc::clone(value)));
        }
    }

    fn last(&self) -> MutexGuard<'_, Option<(Duration, Arc<T>)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Context {
    /// The cached data while it's reliable or the store is unavailable. Otherwise, the result of `read`.
    pub(super) async fn remembered<T: Send + Sync + 'static>(
        &self,
        of: fn(&Shared) -> &Remembered<T>,
        read: fn(Self) -> BoxFuture<'static, Result<T>>,
    ) -> Result<Arc<T>> {
        let reliable = self.reliable_since().await;
        let last = match &*of(self).last() {
            Some((read_at, value)) if *read_at >= reliable.since => return Ok(Arc::clone(value)),
            Some((read_at, value))
                if reliable.now.saturating_sub(*read_at) < self.memory.store_outage =>
            {
                Some(Arc::clone(value))
            }
            _ => None,
        };
        let reading = || {
            let (context, epoch) = (self.clone(), of(self).epoch.load(Ordering::Acquire));
            let runtime = self.host.runtime.as_ref();
            of(self).readings.join(runtime, epoch, |guard| {
                async move {
                    let read_at = context.host.monotonic();
                    let value = Arc::new(read(context.clone()).await?);
                    of(&context).keep(epoch, read_at, &value);
                    drop(guard);
                    Ok(value)
                }
                .boxed()
            })
        };
        self.last_or_read(last, reliable.began, reading).await
    }
}
