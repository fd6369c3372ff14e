//! Encryption of secrets at rest.
//!
//! The operator's key ring encrypts the store's data keys. The active data key encrypts every secret with
//! XChaCha20-Poly1305. A ciphertext is bound to associated data (table, row, column, generation, client). If it's moved
//! to another row, or restored under a newer generation or for another client, it can't be decrypted.

mod envelope;
mod pseudonyms;
mod ring;
mod rows;
pub(crate) mod secrets;
mod vault;
mod wrapped;

pub(crate) use envelope::data_keys_in;
pub(crate) use pseudonyms::Pseudonyms;
pub use ring::KeyRing;
pub(crate) use secrets::Again;
pub(crate) use vault::{Fence, Vault};

const KEY_BYTES: usize = 32;

#[cfg(test)]
mod tests;
