//! Work in the background, or on other threads so that it doesn't block calls.

use super::Context;
use crate::{Error, ErrorKind};

/// Size in bytes from which reading takes long enough to block other calls.
const LARGE: u64 = 256 * 1024;

/// A detached task ended without a result.
#[derive(Debug)]
pub(crate) struct Panicked;

impl From<Panicked> for Error {
    fn from(_: Panicked) -> Self {
        Self::new(ErrorKind::Internal, "a task stopped without a result")
    }
}

impl Context {
    /// Runs `work` to its end even if the caller leaves. Returns its result if the caller stays.
    pub(crate) async fn detached<T, W>(&self, work: impl FnOnce(Self) -> W) -> Result<T, Panicked>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        let (response, wait) = futures_channel::oneshot::channel();
        self.detach(|context| {
            let work = work(context);
            // The work is done even if the caller has left.
            async move { drop(response.send(work.await)) }
        });
        wait.await.map_err(|_| Panicked)
    }

    /// Starts work that only a shutdown waits for.
    pub(crate) fn detach<W>(&self, work: impl FnOnce(Self) -> W)
    where
        W: Future<Output = ()> + Send + 'static,
    {
        let guard = self.host.tasks.begin();
        let work = work(self.clone());
        self.host.runtime.spawn(Box::pin(async move {
            work.await;
            drop(guard);
        }));
    }

    /// Runs work on this many bytes. Large work runs where it doesn't block other calls.
    pub(crate) async fn computed<T: Send + 'static>(
        &self,
        bytes: u64,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Panicked> {
        if bytes < LARGE {
            return Ok(work());
        }
        self.aside(work).await
    }

    /// Runs work that keeps a processor busy where it doesn't block other calls.
    pub(crate) async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Panicked> {
        let (response, wait) = futures_channel::oneshot::channel();
        self.host.runtime.run_blocking(Box::new(move || {
            // The caller may have left.
            let _ = response.send(work());
        }));
        wait.await.map_err(|_| Panicked)
    }

    /// The same for a call, which is aborted if a shutdown can't wait any longer.
    pub(crate) async fn detached_call<T, W>(
        &self,
        call: impl FnOnce(Self) -> W,
    ) -> Result<T, Panicked>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        self.detached(|context| {
            let call = call(context.clone());
            async move { context.host.tasks.unless_cut(call).await }
        })
        .await?
        .ok_or(Panicked)
    }
}
