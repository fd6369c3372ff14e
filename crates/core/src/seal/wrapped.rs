//! Data keys that are encrypted with a key of the ring.

use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305};
use jiff::Timestamp;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    KEY_BYTES, KeyRing,
    envelope::{Envelope, open_with, seal_with},
};
use crate::{
    Error, ErrorKind, Result, domain::DataKey, identifier::DataKeyId, ports::Entropy,
    sealed::place::WrappedKey, state::DataKeyState,
};

/// A decrypted data key.
pub(super) type Bytes = Zeroizing<[u8; KEY_BYTES]>;

/// A fixed ID, so that only one of two processes that start at the same time creates the first key.
const FIRST: DataKeyId = DataKeyId::from_uuid(Uuid::from_u128(1));

/// The first data key of a store, which is active.
pub(super) fn first_data_key(
    ring: &KeyRing,
    entropy: &dyn Entropy,
    now: Timestamp,
) -> Result<DataKey> {
    let first = new_data_key(ring, entropy, FIRST, now, Some(now))?;
    Ok(DataKey {
        state: DataKeyState::Active,
        ..first
    })
}

/// A new data key, which is only added.
pub(super) fn new_data_key(
    ring: &KeyRing,
    entropy: &dyn Entropy,
    id: DataKeyId,
    now: Timestamp,
    rows_since: Option<Timestamp>,
) -> Result<DataKey> {
    let row = DataKey {
        id,
        ring_key: String::new(),
        wrapped: None,
        state: DataKeyState::Added,
        created_at: now,
        activated_at: None,
        retired_at: None,
        unopened_by: Default::default(),
        upgraded_at: None,
        authenticates_rows_since: rows_since,
        extra: Default::default(),
    };
    let mut bytes = Zeroizing::new([0; KEY_BYTES]);
    entropy.fill(bytes.as_mut_slice());
    wrap(ring, entropy, row, &bytes)
}

/// The row with its data key encrypted with the first key of the key ring.
pub(super) fn wrap(
    ring: &KeyRing,
    entropy: &dyn Entropy,
    row: DataKey,
    bytes: &Bytes,
) -> Result<DataKey> {
    let key = ring.first()?;
    let cipher = XChaCha20Poly1305::new((&*key.bytes).into());
    let place = place(&row, &key.id);
    let wrapped = seal_with(&cipher, Uuid::nil(), entropy, &place, bytes.as_slice())?;
    Ok(DataKey {
        ring_key: key.id.clone(),
        wrapped: Some(wrapped),
        ..row
    })
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
