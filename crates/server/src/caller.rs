//! What a connection and the layers around the routes tell each other about the caller.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Among a request's extensions: whether its connection has carried a request of an application. Such a connection is
/// kept when there are too many.
#[derive(Debug, Clone)]
pub(crate) struct Known(pub(crate) Arc<AtomicBool>);

impl Known {
    /// The request was authenticated.
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
