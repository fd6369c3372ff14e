//! Requests to the product and pauses, which are all that a tool can await.

use std::{fmt, time::Duration};

use futures_util::future::BoxFuture;

use super::{ApiRequest, Response};
use crate::Result;

/// The narrow port behind [`Io`]: the executor, a canned script of a test, or a dry run.
pub trait IoBackend: Send + Sync {
    /// Sends the requests, a few in parallel, and returns their results in the same order.
    fn exchange(&self, requests: Vec<ApiRequest>) -> BoxFuture<'_, Vec<Result<Response>>>;
    /// Waits, unless that would exceed the call's deadline.
    fn pause(&self, duration: Duration) -> BoxFuture<'_, Result<()>>;
}

/// All that a tool can await.
#[derive(Clone, Copy)]
pub struct Io<'a>(&'a dyn IoBackend);

impl<'a> Io<'a> {
    /// Opens the port to a tool.
    pub fn new(backend: &'a dyn IoBackend) -> Self {
        Self(backend)
    }

    /// Sends one request.
    ///
    /// # Errors
    /// The product's error, or why there is no response.
    pub async fn send(&self, request: ApiRequest) -> Result<Response> {
        let mut responses = self.0.exchange(vec![request]).await;
        responses.pop().unwrap_or_else(|| Err(no_response()))
    }

    /// Sends several requests with limited parallelism. Returns one result per request, in order.
    pub async fn send_all(&self, requests: Vec<ApiRequest>) -> Vec<Result<Response>> {
        self.0.exchange(requests).await
    }

    /// Waits for `duration`.
    ///
    /// # Errors
    /// [`ErrorKind::ProductTimeout`](crate::ErrorKind::ProductTimeout), immediately, if that would exceed the call's
    /// deadline.
    pub async fn pause(&self, duration: Duration) -> Result<()> {
        self.0.pause(duration).await
    }
}

fn no_response() -> crate::Error {
    crate::Error::new(
        crate::ErrorKind::Internal,
        "the backend returned fewer responses than requests",
    )
}

impl fmt::Debug for Io<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Io")
    }
}
