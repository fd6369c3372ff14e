//! Proof Key for Code Exchange with the method S256 (RFC 7636).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};

/// Length of a challenge: 32 bytes in base64url (section 4.2).
const CHALLENGE_LETTERS: usize = 43;

/// Whether a challenge has the form of one.
pub(crate) fn is_challenge(text: &str) -> bool {
    text.len() == CHALLENGE_LETTERS
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// The challenge of a well-formed verifier (sections 4.1 and 4.2).
pub(crate) fn challenge_of(verifier: &str) -> Option<String> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    ((43..=128).contains(&verifier.len()) && verifier.bytes().all(is_letter))
        .then(|| URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_the_standard() {
        // RFC 7636, appendix B.
        let challenge = challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").unwrap();
        assert_eq!(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert!(is_challenge(&challenge));
        assert!(challenge_of("short").is_none());
    }
}
