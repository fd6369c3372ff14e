//! What an operator does with the keys. The keys of the ring themselves never pass here.

#[cfg(doc)]
use crate::ErrorKind;
use crate::{Result, environment::Environment, keys, resource::Reencryption};

impl Environment {
    /// Seals everything with the active data key that another one has sealed, in batches of 100 rows, while calls go on;
    /// `progress` hears how far it is. One process at a time does it: where another is at it, this waits for that one's end,
    /// and goes on where it dies.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`]. A row that cannot be opened is not an error: the result names it.
    pub async fn reencrypt(&self, progress: impl FnMut(&Reencryption)) -> Result<Reencryption> {
        keys::reencrypt_all(&self.0, progress).await
    }
}
