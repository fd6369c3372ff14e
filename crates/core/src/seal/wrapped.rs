//! Data keys that are encrypted with a key of the ring.

use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    KEY_BYTES, KeyRing,
    envelope::{Envelope, open_with, seal_with},
    place::WrappedKey,
};
use crate::{Error, ErrorKind, Result, domain::DataKey, ports::Entropy, sealed::Sealed};

/// A decrypted data key.
pub(super) type Bytes = Zeroizing<[u8; KEY_BYTES]>;

pub(super) fn new_bytes(entropy: &dyn Entropy) -> Bytes {
    let mut bytes = Zeroizing::new([0; KEY_BYTES]);
    entropy.fill(bytes.as_mut_slice());
    bytes
}

/// Encrypts the data key of a row with the first key of the ring. Also returns the ID of that key.
pub(super) fn wrap(
    ring: &KeyRing,
    entropy: &dyn Entropy,
    row: &DataKey,
    bytes: &Bytes,
) -> Result<(String, Sealed<WrappedKey>)> {
    let key = ring.first()?;
    let wrapped = seal_with(
        &XChaCha20Poly1305::new((&*key.bytes).into()),
        Uuid::nil(),
        entropy,
        &place(row, &key.id),
        bytes.as_slice(),
    )?;
    Ok((key.id.clone(), wrapped))
}

pub(super) fn unwrap(ring: &KeyRing, row: &DataKey) -> Result<Bytes> {
    let unavailable = |why| Error::new(ErrorKind::KeyUnavailable, why);
    let Some(wrapped) = &row.wrapped else {
        return Err(unavailable(format!(
            "the data key {} is retired, so data encrypted with it can't be decrypted anymore",
            row.id
        )));
    };
    let key = ring.find(&row.ring_key).ok_or_else(|| {
        unavailable(format!(
            "this store was encrypted with the key {}, but you gave only these keys: {}",
            row.ring_key,
            ring.ids().collect::<Vec<_>>().join(", ")
        ))
    })?;
    let cipher = XChaCha20Poly1305::new((&*key.bytes).into());
    let opened = Envelope::read(wrapped)
        .and_then(|envelope| open_with(&cipher, &envelope, &place(row, &row.ring_key)))
        .filter(|opened| opened.len() == KEY_BYTES)
        .ok_or_else(|| {
            unavailable(format!(
                "the key {} isn't the one that encrypted this store, or its row was changed",
                key.id
            ))
        })?;
    let mut bytes = Zeroizing::new([0; KEY_BYTES]);
    bytes.copy_from_slice(&opened);
    Ok(bytes)
}

fn place(row: &DataKey, ring_key: &str) -> WrappedKey {
    let since = row.authenticates_rows_since.map_or(0, |since| {
        u64::try_from(since.as_nanosecond()).unwrap_or(u64::MAX)
    });
    WrappedKey(row.id, ring_key.to_owned(), since)
}
