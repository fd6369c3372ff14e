//! State that a connection shares with the layers around its requests.

use std::{
    convert::Infallible,
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::extract::FromRequestParts;
use http::request::Parts;
use tokio::sync::watch;

/// A request's extension: its connection, which is the same for all requests of that connection.
#[derive(Debug, Clone)]
pub(crate) struct Connection(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Whether it has carried an authenticated request of an application or a member. If there are too many
    /// connections, these are closed last.
    is_known: Arc<AtomicBool>,
    stopping: Stopping,
}

impl Connection {
    pub(crate) fn new(is_known: Arc<AtomicBool>, stopping: Stopping) -> Self {
        Self(Arc::new(Shared { is_known, stopping }))
    }

    /// Notes that a request was authenticated.
    pub(crate) fn is_known(&self) {
        self.0.is_known.store(true, Ordering::Relaxed);
    }
}

/// Resolves when the service accepts no more connections. Long-lived requests end then.
#[derive(Debug, Clone)]
pub(crate) struct Stopping(Option<watch::Receiver<()>>);

impl Stopping {
    /// Resolves when the sender is dropped.
    pub(crate) fn new(stopping: watch::Receiver<()>) -> Self {
        Self(Some(stopping))
    }

    /// For a router that another server serves.
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

impl<S: Sync> FromRequestParts<S> for Stopping {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let connection = parts.extensions.get::<Connection>();
        Ok(connection.map_or_else(Self::never, |connection| connection.0.stopping.clone()))
    }
}
