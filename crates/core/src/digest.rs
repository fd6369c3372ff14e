//! Digests of secrets that are only compared and never needed again.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// SHA-256 of a secret that is only ever compared: link, state, cookie, bearer token. Hexadecimal in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Digest(String);

impl Digest {
    /// The digest of a secret.
    pub(crate) fn of(secret: &str) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
        let digest = Sha256::digest(secret.as_bytes());
        let mut text = String::with_capacity(64);
        for byte in digest {
            text.push(digit(byte >> 4));
            text.push(digit(byte & 0x0f));
        }
        Self(text)
    }
    /// The digest before the first one of a chain.
    pub(crate) fn zeros() -> Self {
        Self("0".repeat(64))
    }
    /// Whether it is the digest of this secret, in constant time.
    pub(crate) fn is_of(&self, secret: &str) -> bool {
        let given = Self::of(secret);
        self.0.as_bytes().ct_eq(given.0.as_bytes()).into()
    }
    /// The hexadecimal text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_sha_256_in_hexadecimal() {
        // FIPS 180-2, B.1.
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of("abc").as_str(), digest);
        assert_eq!(
            serde_json::to_string(&Digest::of("abc")).unwrap(),
            format!("\"{digest}\"")
        );
    }

    #[test]
    fn only_the_secret_itself_has_a_digest() {
        let stored = Digest::of("cookie");
        assert!(stored.is_of("cookie"));
        for other in ["", "cooki", "cookie ", "Cookie", stored.as_str()] {
            assert!(!stored.is_of(other), "{other}");
        }
    }
}
