//! What a connection and the layers around the routes tell each other.

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

/// Among a request's extensions: the connection that it came on, one for all its requests.
#[derive(Debug, Clone)]
pub(crate) struct Connection(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Whether it has carried a request of an application or a member. Such a connection is kept when there are too many.
    is_known: Arc<AtomicBool>,
    stopping: Stopping,
}

impl Connection {
    pub(crate) fn new(is_known: Arc<AtomicBool>, stopping: Stopping) -> Self {
        Self(Arc::new(Shared { is_known, stopping }))
    }

    /// A request was authenticated.
    pub(crate) fn is_known(&self) {
        self.0.is_known.store(true, Ordering::Relaxed);
    }
}

/// Resolves when the service takes no more connections, for requests that would go on for long.
#[derive(Debug, Clone)]
pub(crate) struct Stopping(Option<watch::Receiver<()>>);

impl Stopping {
    /// Resolves when the sender is dropped.
    pub(crate) fn new(stopping: watch::Receiver<()>) -> Self {
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

impl<S: Sync> FromRequestParts<S> for Stopping {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let connection = parts.extensions.get::<Connection>();
        Ok(connection.map_or_else(Self::never, |connection| connection.0.stopping.clone()))
    }
}
