//! MACs of rows, with keys derived from the data keys.

use hmac::{Hmac, Mac as _};
use jiff::Timestamp;
use sha2::Sha256;
use zeroize::Zeroizing;

use super::{
    KEY_BYTES, Vault,
    envelope::{FORMAT, ID_BYTES},
    wrapped::Bytes,
};
use crate::{
    Error, ErrorKind, Result,
    identifier::DataKeyId,
    ports::BoxFuture,
    state::DataKeyState,
    store::{KeyVersion, RowKeys},
};

/// Purpose of a key derived from a data key.
const PURPOSE: &[u8] = b"stead/v1/authenticates-rows";

/// The MAC key derived from a data key.
#[derive(Clone)]
pub(super) struct RowKey(Zeroizing<[u8; KEY_BYTES]>);

impl RowKey {
    pub(super) fn of(data_key: &Bytes) -> Result<Self> {
        let derived = hmac(data_key, PURPOSE)?.finalize().into_bytes();
        Ok(Self(Zeroizing::new(derived.into())))
    }
}

fn hmac(key: &Bytes, message: &[u8]) -> Result<Hmac<Sha256>> {
    let hmac = Hmac::<Sha256>::new_from_slice(key.as_slice());
    let mut hmac = hmac.map_err(|_| Error::new(ErrorKind::Internal, "a key has no bytes"))?;
    hmac.update(message);
    Ok(hmac)
}

impl RowKeys for Vault {
    /// Format: version (1), ID of the data key (16), HMAC (32). It begins like an encrypted secret.
    fn mac(&self, message: &[u8]) -> Result<(Vec<u8>, KeyVersion)> {
        let keys = self.keys();
        let (active, opened) = keys.active()?;
        let mac = hmac(&opened.rows.0, message)?.finalize().into_bytes();
        let mut bytes = vec![FORMAT];
        bytes.extend_from_slice(active.id.uuid().as_bytes());
        bytes.extend_from_slice(&mac);
        Ok((bytes, (active.id, active.version)))
    }

    fn is_mac_of(&self, mac: &[u8], message: &[u8]) -> Option<bool> {
        let Some((&FORMAT, rest)) = mac.split_first() else {
            return Some(false);
        };
        let Some((id, mac)) = rest.split_first_chunk::<ID_BYTES>() else {
            return Some(false);
        };
        let id = DataKeyId::from_uuid(uuid::Uuid::from_bytes(*id));
        let keys = self.keys();
        // Nothing that a retired key has signed is left, and someone else may have the key.
        let known = keys.find(id);
        known.filter(|known| known.state != DataKeyState::Retired)?;
        let opened = keys.opened(id).ok()?;
        let expected = hmac(&opened.rows.0, message).ok()?;
        Some(expected.verify_slice(mac).is_ok())
    }

    fn rows_since(&self) -> Option<Timestamp> {
        self.keys().rows_since()
    }

    fn read_again(&self) -> BoxFuture<'_, Result<Option<KeyVersion>>> {
        Box::pin(async {
            self.reload().await?;
            let keys = self.keys();
            let active = keys.active().ok();
            Ok(active.map(|(active, _)| (active.id, active.version)))
        })
    }
}
