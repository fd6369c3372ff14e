//! Sealing of secrets at rest.
//!
//! A key ring of the operator wraps the data keys of the store; the active data key seals every secret with
//! XChaCha20-Poly1305. What is sealed is bound to associated data (table, row, column, generation, client): a ciphertext
//! moved to another row, or put back under a newer generation or for another client, does not open.

mod envelope;
pub(crate) mod place;
mod pseudonyms;
mod ring;
mod rows;
mod vault;
mod wrapped;

pub(crate) use envelope::data_keys_in;
pub(crate) use place::AssociatedData;
pub(crate) use pseudonyms::Pseudonyms;
pub use ring::KeyRing;
pub(crate) use vault::{Fence, Vault};

const KEY_BYTES: usize = 32;

#[cfg(test)]
mod tests;
