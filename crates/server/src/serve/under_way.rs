//! Counts running requests.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Requests of a [`Server`](super::Server) whose responses aren't complete yet.
#[derive(Debug, Clone, Default)]
pub struct UnderWay(Arc<AtomicUsize>);

impl UnderWay {
    /// Their present number.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn begin(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn end(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
