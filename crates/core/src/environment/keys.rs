//! What an operator does with the keys. The keys of the ring themselves never pass here.

#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result,
    environment::Environment,
    keys,
    resource::{DataKey, Keys, Reencryption},
};

impl Environment {
    /// The keys. With `count_rows`, how many rows each has sealed: that reads every row which holds a secret.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn keys(&self, count_rows: bool) -> Result<Keys> {
        keys::list(&self.0, count_rows).await
    }

    /// Adds a data key under the first key of the ring. Every process reads it within 30 seconds; nothing is sealed with
    /// it before [`activate_key`](Self::activate_key).
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn add_key(&self) -> Result<DataKey> {
        keys::add(&self.0).await
    }

    /// Lets a data key seal from now on; the one that did so only opens. The former key can be activated again while it
    /// is not retired.
    ///
    /// A key that was just added has to wait for a minute, in which every process tries to open it: one that lacks the
    /// key of the ring which wraps it says so, and could not open what others seal with it. `at_once` does not wait and
    /// does not ask: for a store that no other process has open.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidTransition`] for a key that is retired, has to wait, or cannot be opened by a process that runs;
    /// [`ErrorKind::NotFound`] for an unknown one.
    pub async fn activate_key(&self, key_id: &str, at_once: bool) -> Result<DataKey> {
        keys::activate(&self.0, key_id, at_once).await
    }

    /// Seals everything with the active data key that another one has sealed, in batches of 100 rows, while calls go on;
    /// `progress` hears how far it is. One process at a time does it: where another is at it, this waits for that one's end,
    /// and goes on where it dies.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`]. A row that cannot be opened is not an error: the result names it.
    pub async fn reencrypt(&self, progress: impl FnMut(&Reencryption)) -> Result<Reencryption> {
        keys::reencrypt(&self.0, progress).await
    }

    /// The same in the background, where no process is at it already; returns how far it is, as [`keys`](Self::keys) of
    /// every process does later. Where its process ends, another one goes on, or the next one that starts.
    ///
    /// # Errors
    /// [`ErrorKind::ShuttingDown`], [`ErrorKind::StorageUnavailable`].
    pub async fn start_reencryption(&self) -> Result<Reencryption> {
        keys::start_reencrypt(&self.0).await
    }

    /// Destroys a data key with which nothing is sealed any more. Backups from before still need the key of the ring that
    /// wrapped it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidTransition`] for the active key, and where rows are still sealed with it;
    /// [`ErrorKind::NotFound`] for an unknown one.
    pub async fn retire_key(&self, key_id: &str) -> Result<DataKey> {
        keys::retire(&self.0, key_id).await
    }

    /// Wraps the data keys with the first key of the ring, where another one wraps them; returns those. It takes a moment,
    /// because nothing is sealed again: where a key of the ring was leaked, replace the data key as well.
    ///
    /// # Errors
    /// [`ErrorKind::KeyUnavailable`] where the ring lacks the key that wraps one of them.
    pub async fn rewrap_keys(&self) -> Result<Vec<DataKey>> {
        keys::rewrap(&self.0).await
    }
}
