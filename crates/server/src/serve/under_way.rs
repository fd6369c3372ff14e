//! How many requests are under way.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// The requests of a [`Server`](super::Server) that have not been answered to their end.
#[derive(Debug, Clone, Default)]
pub struct UnderWay(Arc<AtomicUsize>);

impl UnderWay {
    /// How many there are now.
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
