//! The feed of events in this process: its waiting readers, and the names of connections, which never change.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
};

use tokio::sync::{Semaphore, SemaphorePermit, watch};

use super::Context;
use crate::{
    Error, ErrorKind, Result,
    identifier::{ConnectionId, ConnectionName},
};

/// Maximum number of readers that wait at the same time. Reads without a wait don't count.
const WAITING: usize = 256;
/// When a rejected reader can try again.
const AGAIN: std::time::Duration = std::time::Duration::from_secs(5);

pub(crate) struct Feed {
    committed: watch::Sender<()>,
    places: Semaphore,
    names: Mutex<HashMap<ConnectionId, Names>>,
}

/// The name of a connection and of its product.
pub(crate) type Names = (ConnectionName, String);

impl Default for Feed {
    fn default() -> Self {
        Self {
            committed: watch::Sender::new(()),
            places: Semaphore::new(WAITING),
            names: Mutex::default(),
        }
    }
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed").finish_non_exhaustive()
    }
}

impl Feed {
    /// Signals that this process has committed events, or may have.
    pub(crate) fn committed(&self) {
        self.committed.send_replace(());
    }

    /// Sees every commit from now on.
    pub(crate) fn watch(&self) -> watch::Receiver<()> {
        self.committed.subscribe()
    }

    /// Reserves a place for a waiting reader.
    pub(crate) fn wait(&self) -> Result<SemaphorePermit<'_>> {
        self.places.try_acquire().map_err(|_| {
            Error::new(
                ErrorKind::Overloaded,
                format!("{WAITING} readers are waiting for events, the maximum of this environment; try again later"),
            )
            .with_retry_after(AGAIN)
        })
    }
}

impl Context {
    /// The names of a connection, if it exists and the store responds.
    pub(crate) async fn names_of(&self, id: ConnectionId) -> Option<Names> {
        let known = || {
            self.store
                .feed
                .names
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(names) = known().get(&id).cloned() {
            return Some(names);
        }
        let found = self.store.connection(id).await.ok()??.row;
        let names = (found.name, found.product);
        known().insert(id, names.clone());
        Some(names)
    }
}
