//! An encrypted secret, which is safe to store and to show without the key.

use std::{fmt, marker::PhantomData};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

mod associated;
pub(crate) mod place;

pub(crate) use associated::AssociatedData;

/// A place of a secret, which its encryption is bound to.
pub(crate) trait Place {
    /// The data that is authenticated with the secret, but not stored.
    fn data(&self) -> AssociatedData<'_>;
}

/// A place in something that Stead stores. When Stead looks for the rows that need a key, it looks there.
pub(crate) trait Stored: Place {}

/// The encrypted secret of a place: key ID, nonce and ciphertext. Base64 in JSON.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Sealed<P: Place>(Vec<u8>, PhantomData<P>);

impl<P: Place> Sealed<P> {
    /// An encrypted secret from its stored bytes.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes, PhantomData)
    }
    /// The bytes to store.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl<P: Place> fmt::Debug for Sealed<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealed({} bytes)", self.0.len())
    }
}

impl<P: Stored> Serialize for Sealed<P> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de, P: Stored> Deserialize<'de> for Sealed<P> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(serde::de::Error::custom)?;
        Ok(Self::from_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::{place::ClientSecret, *};

    #[test]
    fn sealed_bytes_are_base64_in_json_and_shown_nowhere() {
        let sealed = Sealed::<ClientSecret>::from_bytes(b"CANARY".to_vec());
        let text = serde_json::to_string(&sealed).unwrap();
        assert_eq!(text, "\"Q0FOQVJZ\"");
        let read = |text| serde_json::from_str::<Sealed<ClientSecret>>(text);
        assert_eq!(read(&text).unwrap(), sealed);
        assert!(read("\"not base64\"").is_err());
        assert_eq!(format!("{sealed:?}"), "Sealed(6 bytes)");
    }
}
