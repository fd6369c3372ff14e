//! Runs one piece of work per key at a time. Callers that request it while it runs share its result.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};

use futures_util::{FutureExt as _, future::Shared};

use crate::ports::{BoxFuture, Runtime};

type Work<T> = Shared<BoxFuture<'static, T>>;
type Running<K, T> = Arc<Mutex<HashMap<K, Work<T>>>>;

/// The running work, by key.
pub(crate) struct SingleFlight<K, T>(Running<K, T>);

/// Removes the entry of a key when it's dropped, even after a panic.
pub(crate) struct Guard<K: Eq + Hash, T> {
    running: Running<K, T>,
    key: K,
}

impl<K, T> Default for SingleFlight<K, T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Eq + Hash, T> Drop for Guard<K, T> {
    fn drop(&mut self) {
        self.running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.key);
    }
}

impl<K, T> SingleFlight<K, T>
where
    K: Clone + Eq + Hash,
    T: Clone + Send + Sync + 'static,
{
    /// Joins the work of a key, or starts it immediately, even if no one waits for its result. `work` drops the guard
    /// when it's done.
    pub(crate) fn join(
        &self,
        runtime: &dyn Runtime,
        key: K,
        work: impl FnOnce(Guard<K, T>) -> BoxFuture<'static, T>,
    ) -> Work<T> {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(work) = running.get(&key) {
            return work.clone();
        }
        let guard = Guard {
            running: Arc::clone(&self.0),
            key: key.clone(),
        };
        // The work starts with its first poll, after the lock is released.
        let work = work(guard).shared();
        running.insert(key, work.clone());
        drop(running);
        runtime.spawn(work.clone().map(drop).boxed());
        work
    }
}
