//! Whether the service is about to stop, for requests that would go on for long.

use std::future::pending;

use tokio::sync::watch;

/// Among a request's extensions: resolves when the service takes no more connections.
#[derive(Debug, Clone)]
pub(crate) struct Stopping(Option<watch::Receiver<()>>);

impl Stopping {
    /// Resolves when the sender is dropped.
    pub(super) fn new(stopping: watch::Receiver<()>) -> Self {
        Self(Some(stopping))
    }

    /// Of a router that another server serves.
    pub(crate) fn never() -> Self {
        Self(None)
    }

    pub(crate) async fn stopped(&self) {
        match self.0.clone() {
            Some(mut stopping) => while stopping.changed().await.is_ok() {},
            None => pending().await,
        }
    }
}
