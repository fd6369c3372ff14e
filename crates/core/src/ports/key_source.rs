//! Where the operator keeps the key ring.

use secrecy::SecretString;

use super::BoxFuture;
use crate::Result;

/// Gives the operator's key ring, in its text form, whenever it is asked: from a file, or from a key management service.
///
/// It is asked when a store has a key that is wrapped by a key of the ring that this process does not have, at most once
/// in ten seconds: a process that runs takes up a new key of the ring without being started again.
pub trait KeySource: Send + Sync + 'static {
    /// The ring as it is now.
    ///
    /// # Errors
    /// Where it cannot be had. The message does not repeat it.
    fn read(&self) -> BoxFuture<'_, Result<SecretString>>;
}
