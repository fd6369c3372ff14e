//! The data keys.

use std::fmt;

#[cfg(doc)]
use stead_core::ErrorKind;
use stead_core::{
    Result,
    resource::{self, DataKey, KeyActivation, Reencryption},
};

use super::backend::Shared;

/// The data keys that seal the store's secrets, each wrapped by a key of the operator's ring.
///
/// ```
/// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> stead::Result<()> {
/// # use stead::{Platform, resource::{DataKeyState, KeyActivation}};
/// # let platform = Platform::builder("https://stead.example.com").ephemeral_key().in_memory().build().await?;
/// let keys = platform.keys();
/// let added = keys.add().await?;
/// // Nothing else has this store open.
/// keys.activate(&added.key_id, KeyActivation::default().at_once(true)).await?;
/// assert_eq!(keys.read(false).await?.data_keys[0].state, DataKeyState::Retiring);
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "platform", feature = "reqwest", feature = "mail")))]
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct Keys(Shared);

impl Keys {
    pub(crate) fn new(backend: Shared) -> Self {
        Self(backend)
    }

    /// The keys, and how far a re-encryption is. With `count_rows`, how many rows each has sealed: that reads every row
    /// which holds a secret.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn read(&self, count_rows: bool) -> Result<resource::Keys> {
        self.0.keys(count_rows).await
    }

    /// Adds a data key under the first key of the ring. Nothing is sealed with it before it is activated.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn add(&self) -> Result<DataKey> {
        self.0.add_key().await
    }

    /// Lets a data key seal from now on. One that was just added has to wait for a minute.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidTransition`] for a key that is retired, has to wait, or cannot be opened by a process that runs;
    /// [`ErrorKind::InvalidRequest`] for an unknown one.
    pub async fn activate(&self, key_id: &str, how: KeyActivation) -> Result<DataKey> {
        self.0.activate_key(key_id, how).await
    }

    /// Starts to seal everything again with the active data key, in the background; [`read`](Self::read) says how far it is.
    ///
    /// # Errors
    /// [`ErrorKind::ShuttingDown`].
    pub async fn reencrypt(&self) -> Result<Reencryption> {
        self.0.start_reencryption().await
    }

    /// Destroys a data key with which nothing is sealed any more.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidTransition`] for the active key, and where rows are still sealed with it;
    /// [`ErrorKind::InvalidRequest`] for an unknown one.
    pub async fn retire(&self, key_id: &str) -> Result<DataKey> {
        self.0.retire_key(key_id).await
    }

    /// Wraps the data keys with the first key of the ring; returns the keys as they are then.
    ///
    /// # Errors
    /// [`ErrorKind::KeyUnavailable`] where the ring lacks the key that wraps one of them.
    pub async fn rewrap(&self) -> Result<resource::Keys> {
        self.0.rewrap_keys().await
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}
