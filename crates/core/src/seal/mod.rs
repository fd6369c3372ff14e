//! Sealing of secrets at rest.
//!
//! A key ring of the operator wraps one data key of the store; the data key seals every secret with
//! XChaCha20-Poly1305. What is sealed is bound to associated data (table, row, column, generation, client): a ciphertext
//! moved to another row, or put back under a newer generation or for another client, does not open.

use std::{fmt, sync::Arc};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};
use secrecy::SecretString;
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::{
    Error, ErrorKind, Result,
    domain::DataKey,
    identifier::DataKeyId,
    ports::{Entropy, Runtime},
    sealed::Sealed,
    store::{Batch, Commit, Records},
};

const FORMAT: u8 = 1;
const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
const ID_BYTES: usize = 16;

/// Keys of the operator. The first one wraps new data keys; all of them unwrap.
pub struct KeyRing {
    keys: Vec<MasterKey>,
}

struct MasterKey {
    id: String,
    bytes: Zeroizing<[u8; KEY_BYTES]>,
}

impl KeyRing {
    /// Reads `id:key` pairs separated by commas; a key is 32 bytes in unpadded URL-safe base64.
    ///
    /// # Errors
    /// [`ErrorKind::KeyUnavailable`] where the text is not a key ring. The message does not repeat it.
    pub fn from_text(text: &str) -> Result<Self> {
        let keys = text
            .split(',')
            .map(|pair| MasterKey::from_text(pair.trim()))
            .collect::<Result<Vec<_>>>()?;
        let mut ids: Vec<&str> = keys.iter().map(|key| key.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.len() != keys.len() {
            return Err(Error::new(
                ErrorKind::KeyUnavailable,
                "two keys of the ring have the same id",
            ));
        }
        Ok(Self { keys })
    }

    /// Makes a ring of one new key; returns it with its text, which is to be kept safe.
    pub fn generate(entropy: &dyn Entropy) -> (Self, SecretString) {
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        entropy.fill(bytes.as_mut_slice());
        let mut id = [0; 3];
        entropy.fill(&mut id);
        let id = format!("k{:02x}{:02x}{:02x}", id[0], id[1], id[2]);
        let text = Zeroizing::new(URL_SAFE_NO_PAD.encode(bytes.as_slice()));
        let pair = SecretString::from(format!("{id}:{}", text.as_str()));
        (
            Self {
                keys: vec![MasterKey { id, bytes }],
            },
            pair,
        )
    }

    fn find(&self, id: &str) -> Option<&MasterKey> {
        self.keys.iter().find(|key| key.id == id)
    }
}

impl MasterKey {
    fn from_text(pair: &str) -> Result<Self> {
        let malformed = || {
            Error::new(
                ErrorKind::KeyUnavailable,
                "a key is written id:key, the key being 32 bytes in unpadded URL-safe base64; `stead keys generate` makes one",
            )
        };
        let (id, text) = pair.split_once(':').ok_or_else(malformed)?;
        let well_named = !id.is_empty()
            && id.len() <= 32
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let decoded = Zeroizing::new(
            URL_SAFE_NO_PAD
                .decode(text.trim_end_matches('='))
                .map_err(|_| malformed())?,
        );
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        if !well_named || decoded.len() != KEY_BYTES {
            return Err(malformed());
        }
        bytes.copy_from_slice(&decoded);
        Ok(Self {
            id: id.to_owned(),
            bytes,
        })
    }
}

impl fmt::Debug for KeyRing {
    /// Shows only the ids.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.keys.iter().map(|key| &key.id))
            .finish()
    }
}

/// Where a secret stands; authenticated with it, not stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AssociatedData<'a> {
    table: &'a str,
    row: Uuid,
    column: &'a str,
    generation: u64,
    client_epoch: u64,
}

impl<'a> AssociatedData<'a> {
    pub(crate) fn new(table: &'a str, row: Uuid, column: &'a str) -> Self {
        Self {
            table,
            row,
            column,
            generation: 0,
            client_epoch: 0,
        }
    }
    pub(crate) fn generation(mut self, generation: u64) -> Self {
        self.generation = generation;
        self
    }

    /// Which of a connection's clients the secret belongs to.
    pub(crate) fn client_epoch(mut self, client_epoch: u64) -> Self {
        self.client_epoch = client_epoch;
        self
    }

    /// Length-prefixed, so that no two secrets share their bytes. The first client's epoch is left out: what was sealed
    /// before there were epochs belongs to it.
    fn bytes(self) -> Vec<u8> {
        let generation = self.generation.to_be_bytes();
        let client_epoch = self.client_epoch.to_be_bytes();
        let parts: [&[u8]; 6] = [
            b"stead/v1",
            self.table.as_bytes(),
            self.row.as_bytes(),
            self.column.as_bytes(),
            &generation,
            &client_epoch,
        ];
        let bound = if self.client_epoch == 0 { 5 } else { 6 };
        parts
            .iter()
            .take(bound)
            .flat_map(|part| {
                (part.len() as u64)
                    .to_be_bytes()
                    .into_iter()
                    .chain(part.iter().copied())
            })
            .collect()
    }
}

/// Seals and opens secrets with the store's data keys.
pub(crate) struct Vault {
    active: DataKeyId,
    ciphers: Vec<(DataKeyId, XChaCha20Poly1305)>,
    entropy: Arc<dyn Entropy>,
}

impl Vault {
    /// Opens the store's data keys with the ring, or makes the first one. This is also the proof that the ring is
    /// the one that the store was sealed with.
    pub(crate) async fn open(
        ring: &KeyRing,
        store: &Records,
        runtime: &dyn Runtime,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self> {
        let mut rows = store.data_keys().await?;
        if rows.is_empty() {
            let row = first_data_key(ring, entropy.as_ref(), runtime)?;
            // A conflict means that another process was first; its key serves both.
            let (Commit::Committed | Commit::Conflict) =
                store.commit(Batch::new().insert(row)).await?;
            rows = store.data_keys().await?;
        }
        let ciphers = rows
            .iter()
            .map(|row| {
                Ok((
                    row.row.id,
                    XChaCha20Poly1305::new((&*unwrap(ring, &row.row)?).into()),
                ))
            })
            .collect::<Result<Vec<_>>>()?;
        let active = ciphers
            .last()
            .map(|(id, _)| *id)
            .ok_or_else(|| Error::new(ErrorKind::KeyUnavailable, "the store keeps no data key"))?;
        Ok(Self {
            active,
            ciphers,
            entropy,
        })
    }

    /// Seals a secret, bound to where it stands.
    pub(crate) fn seal(&self, data: AssociatedData<'_>, secret: &[u8]) -> Result<Sealed> {
        let cipher = self.cipher(self.active)?;
        seal_with(
            cipher,
            self.active.uuid(),
            self.entropy.as_ref(),
            &data.bytes(),
            secret,
        )
    }

    /// Opens what was sealed with the same associated data.
    pub(crate) fn open_sealed(
        &self,
        data: AssociatedData<'_>,
        sealed: &Sealed,
    ) -> Result<Zeroizing<Vec<u8>>> {
        let envelope = Envelope::read(sealed).ok_or_else(|| violated(data.table))?;
        let cipher = self.cipher(DataKeyId::from_uuid(envelope.key))?;
        open_with(cipher, &envelope, &data.bytes()).ok_or_else(|| violated(data.table))
    }

    fn cipher(&self, id: DataKeyId) -> Result<&XChaCha20Poly1305> {
        self.ciphers
            .iter()
            .find_map(|(known, cipher)| (*known == id).then_some(cipher))
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::KeyUnavailable,
                    format!("the data key {id} is not open; restart this process"),
                )
            })
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault")
            .field("active", &self.active)
            .finish_non_exhaustive()
    }
}

fn violated(table: &str) -> Error {
    Error::new(
        ErrorKind::IntegrityViolated,
        format!("a stored secret ({table}) was changed from outside: its seal does not fit"),
    )
}

/// The id is fixed, so that of two processes that start together only one makes the first key.
const FIRST_DATA_KEY: DataKeyId = DataKeyId::from_uuid(Uuid::from_u128(1));

fn first_data_key(ring: &KeyRing, entropy: &dyn Entropy, runtime: &dyn Runtime) -> Result<DataKey> {
    let key = ring
        .keys
        .first()
        .ok_or_else(|| Error::new(ErrorKind::KeyUnavailable, "the key ring is empty"))?;
    let mut bytes = Zeroizing::new([0; KEY_BYTES]);
    entropy.fill(bytes.as_mut_slice());
    let cipher = XChaCha20Poly1305::new((&*key.bytes).into());
    let wrapped = seal_with(
        &cipher,
        Uuid::nil(),
        entropy,
        &wrapping_data(FIRST_DATA_KEY, &key.id),
        bytes.as_slice(),
    )?;
    Ok(DataKey {
        id: FIRST_DATA_KEY,
        ring_key: key.id.clone(),
        wrapped,
        created_at: runtime.now(),
    })
}

fn unwrap(ring: &KeyRing, row: &DataKey) -> Result<Zeroizing<[u8; KEY_BYTES]>> {
    let key = ring.find(&row.ring_key).ok_or_else(|| {
        Error::new(
            ErrorKind::KeyUnavailable,
            format!("this store was sealed with the key {:?}, which is not among the keys given: {ring:?}", row.ring_key),
        )
    })?;
    let cipher = XChaCha20Poly1305::new((&*key.bytes).into());
    let opened = Envelope::read(&row.wrapped)
        .and_then(|envelope| open_with(&cipher, &envelope, &wrapping_data(row.id, &row.ring_key)))
        .filter(|opened| opened.len() == KEY_BYTES)
        .ok_or_else(|| {
            Error::new(
                ErrorKind::KeyUnavailable,
                format!("the key given as {:?} is not the one that sealed this store, or its row was changed", key.id),
            )
        })?;
    let mut bytes = Zeroizing::new([0; KEY_BYTES]);
    bytes.copy_from_slice(&opened);
    Ok(bytes)
}

fn wrapping_data(id: DataKeyId, ring_key: &str) -> Vec<u8> {
    AssociatedData::new("data_key", id.uuid(), ring_key).bytes()
}

/// Layout: format (1), key id (16), nonce (24), ciphertext with tag.
struct Envelope<'a> {
    key: Uuid,
    nonce: [u8; NONCE_BYTES],
    ciphertext: &'a [u8],
}

impl<'a> Envelope<'a> {
    fn read(sealed: &'a Sealed) -> Option<Self> {
        let (format, rest) = sealed.as_bytes().split_first()?;
        let (key, rest) = rest.split_first_chunk::<ID_BYTES>()?;
        let (nonce, ciphertext) = rest.split_first_chunk::<NONCE_BYTES>()?;
        (*format == FORMAT).then(|| Self {
            key: Uuid::from_bytes(*key),
            nonce: *nonce,
            ciphertext,
        })
    }
}

fn seal_with(
    cipher: &XChaCha20Poly1305,
    key: Uuid,
    entropy: &dyn Entropy,
    data: &[u8],
    secret: &[u8],
) -> Result<Sealed> {
    let mut nonce = [0; NONCE_BYTES];
    entropy.fill(&mut nonce);
    let ciphertext = cipher
        .encrypt(
            &XNonce::from(nonce),
            Payload {
                msg: secret,
                aad: data,
            },
        )
        .map_err(|_| Error::new(ErrorKind::Internal, "a secret is too large to seal"))?;
    let mut bytes = Vec::with_capacity(1 + ID_BYTES + NONCE_BYTES + ciphertext.len());
    bytes.push(FORMAT);
    bytes.extend_from_slice(key.as_bytes());
    bytes.extend_from_slice(&nonce);
    bytes.extend_from_slice(&ciphertext);
    Ok(Sealed::from_bytes(bytes))
}

fn open_with(
    cipher: &XChaCha20Poly1305,
    envelope: &Envelope<'_>,
    data: &[u8],
) -> Option<Zeroizing<Vec<u8>>> {
    cipher
        .decrypt(
            &XNonce::from(envelope.nonce),
            Payload {
                msg: envelope.ciphertext,
                aad: data,
            },
        )
        .ok()
        .map(Zeroizing::new)
}

#[cfg(test)]
mod tests;
