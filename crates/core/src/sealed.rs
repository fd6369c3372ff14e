//! An encrypted secret, which is safe to store and to show without the key.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

/// An encrypted secret: key ID, nonce and ciphertext. Base64 in JSON.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Sealed(Vec<u8>);

impl Sealed {
    /// An encrypted secret from its stored bytes.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
    /// The bytes to store.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealed({} bytes)", self.0.len())
    }
}

impl Serialize for Sealed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Sealed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD
            .decode(text)
            .map(Self)
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_bytes_are_base64_in_json_and_shown_nowhere() {
        let sealed = Sealed::from_bytes(b"CANARY".to_vec());
        let text = serde_json::to_string(&sealed).unwrap();
        assert_eq!(text, "\"Q0FOQVJZ\"");
        assert_eq!(serde_json::from_str::<Sealed>(&text).unwrap(), sealed);
        assert!(serde_json::from_str::<Sealed>("\"not base64\"").is_err());
        assert_eq!(format!("{sealed:?}"), "Sealed(6 bytes)");
    }
}
