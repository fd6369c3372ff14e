//! The operator's key ring, which encrypts the data keys of a store.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use secrecy::SecretString;
use zeroize::Zeroizing;

use super::KEY_BYTES;
use crate::{Error, ErrorKind, Result, ports::Entropy};

/// The operator's key ring. Stead encrypts new data keys with the first key, and decrypts with any of them.
pub struct KeyRing {
    pub(super) keys: Vec<MasterKey>,
}

pub(super) struct MasterKey {
    pub(super) id: String,
    pub(super) bytes: Zeroizing<[u8; KEY_BYTES]>,
}

impl KeyRing {
    /// Reads `id:key` pairs, separated by commas or line breaks. A key is 32 bytes in unpadded URL-safe base64. A line
    /// can start with `STEAD_KEY=`, as printed by `stead keys generate`. Lines that start with `#` are ignored.
    ///
    /// # Errors
    /// [`ErrorKind::KeyUnavailable`] if the text isn't a key ring. The message doesn't contain the text.
    pub fn from_text(text: &str) -> Result<Self> {
        let lines = text.lines().map(str::trim);
        let keys = lines
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(|line| line.strip_prefix("STEAD_KEY=").unwrap_or(line))
            .flat_map(|line| line.split(','))
            .map(|pair| MasterKey::from_text(pair.trim()))
            .collect::<Result<Vec<_>>>()?;
        if keys.is_empty() {
            return Err(malformed());
        }
        let mut ids: Vec<&str> = keys.iter().map(|key| key.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.len() != keys.len() {
            return Err(Error::new(
                ErrorKind::KeyUnavailable,
                "two keys of the key ring have the same id",
            ));
        }
        Ok(Self { keys })
    }

    /// Creates a key ring with one new key. Returns it with its text, which you need to keep safe.
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

    /// IDs of its keys. The first one encrypts.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|key| key.id.as_str())
    }

    pub(super) fn find(&self, id: &str) -> Option<&MasterKey> {
        self.keys.iter().find(|key| key.id == id)
    }

    /// The key that encrypts data keys.
    pub(super) fn first(&self) -> Result<&MasterKey> {
        self.keys.first().ok_or_else(malformed)
    }
}

fn malformed() -> Error {
    Error::new(
        ErrorKind::KeyUnavailable,
        "expected id:key, with a key of 32 bytes in unpadded URL-safe base64; `stead keys generate` creates one",
    )
}

impl MasterKey {
    fn from_text(pair: &str) -> Result<Self> {
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
    /// Shows only the IDs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.ids()).finish()
    }
}
