//! The caller's deadline, and what happens to a wait that would exceed it.

use std::{pin::Pin, time::Duration};

use futures_util::{
    FutureExt as _,
    future::{Either, select},
};

use super::Context;
use crate::{Error, ErrorKind, Result};

impl Context {
    /// The same context for a caller that waits at most this long.
    pub(crate) fn within(mut self, timeout: Duration) -> Self {
        self.ends_at = Some(self.ends_at(timeout));
        self
    }

    /// Deadline of work that can take at most this long. The caller's deadline may be earlier.
    pub(crate) fn ends_at(&self, longest: Duration) -> Duration {
        let ends_at = self.host.monotonic().saturating_add(longest);
        self.ends_at.map_or(ends_at, |sooner| sooner.min(ends_at))
    }

    /// How long a wait of at most `longest` can take.
    pub(crate) fn at_most(&self, longest: Duration) -> Duration {
        match self.ends_at {
            None => longest,
            Some(ends_at) => longest.min(ends_at.saturating_sub(self.host.monotonic())),
        }
    }

    /// Fails if the caller's deadline has passed.
    pub(crate) fn check_time(&self) -> Result<()> {
        match self.at_most(Duration::MAX).is_zero() {
            true => Err(time_is_over()),
            false => Ok(()),
        }
    }

    /// Result of a wait that can be aborted, unless the caller's deadline passes first.
    pub(crate) async fn in_time<T, W>(&self, work: Pin<&mut W>) -> Result<T>
    where
        W: Future<Output = Result<T>>,
    {
        match self.ends_at {
            None => work.await,
            Some(ends_at) => self.until(ends_at, work).await,
        }
    }

    /// The same with a different deadline. A result that is available immediately needs no timer.
    pub(crate) async fn until<T, W>(&self, ends_at: Duration, mut work: Pin<&mut W>) -> Result<T>
    where
        W: Future<Output = Result<T>>,
    {
        if let Some(done) = work.as_mut().now_or_never() {
            return done;
        }
        let left = ends_at.saturating_sub(self.host.monotonic());
        if left.is_zero() {
            return Err(time_is_over());
        }
        match select(work, self.host.runtime.sleep(left)).await {
            Either::Left((done, _)) => done,
            Either::Right(_) => Err(time_is_over()),
        }
    }
}

/// The error if the deadline of the caller or the whole call passed before the next request was sent.
pub(crate) fn time_is_over() -> Error {
    Error::new(
        ErrorKind::DeadlineExceeded,
        "the call's deadline passed before its next request was sent",
    )
}
