//! Serializes calls with the same idempotency key in this process.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::OwnedMutexGuard;

use crate::digest::Digest;

type Turns = Arc<Mutex<HashMap<Digest, Arc<tokio::sync::Mutex<()>>>>>;

/// The keys of calls that are running or wait for their turn.
#[derive(Default)]
pub(crate) struct KeyedCalls(Turns);

/// A call's turn. The next call gets its turn when this is dropped.
pub(crate) struct Turn {
    turns: Turns,
    key: Digest,
    held: Option<OwnedMutexGuard<()>>,
}

impl KeyedCalls {
    /// Waits until no other call with this key is running in this process.
    pub(crate) async fn enter(&self, key: &Digest) -> Turn {
        let turn = Arc::clone(lock(&self.0).entry(key.clone()).or_default());
        let mut waiting = Turn {
            turns: Arc::clone(&self.0),
            key: key.clone(),
            held: None,
        };
        waiting.held = Some(turn.lock_owned().await);
        waiting
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut turns = lock(&self.turns);
        self.held = None;
        // If only the map has a reference, no one holds the lock or waits for it.
        if turns
            .get(&self.key)
            .is_some_and(|turn| Arc::strong_count(turn) == 1)
        {
            turns.remove(&self.key);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
