//! Re-encryption for an operator. The keys of the key ring never pass through here.

#[cfg(doc)]
use crate::ErrorKind;
use crate::{Result, environment::Environment, keys, resource::Reencryption};

impl Environment {
    /// Re-encrypts everything that isn't encrypted with the active data key, in batches of 100 rows. Calls continue to
    /// work. `progress` gets the numbers so far. One process does this at a time. If another process is at work, this
    /// one waits for it, and takes over if it dies.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`]. A row that can't be decrypted is not an error: the result names it.
    pub async fn reencrypt(&self, progress: impl FnMut(&Reencryption)) -> Result<Reencryption> {
        keys::reencrypt_all(&self.0, progress).await
    }
}
