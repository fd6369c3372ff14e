//! Source of the operator's key ring.

use secrecy::SecretString;

use super::BoxFuture;
use crate::Result;

/// Returns the operator's key ring in its text form, for example from a file or a key management service.
///
/// Stead calls it at most every ten seconds, when a data key is encrypted with a key that this process doesn't have. So
/// a running process picks up new keys without a restart.
pub trait KeySource: Send + Sync + 'static {
    /// The current key ring.
    ///
    /// # Errors
    /// If the key ring can't be read. The message must not contain it.
    fn read(&self) -> BoxFuture<'_, Result<SecretString>>;
}
