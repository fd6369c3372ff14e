//! JSON Web Tokens that others have signed (RFC 7519), and the public keys to check them with (RFC 7517).
//!
//! Stead accepts only public-key signatures. So a public key can't be used as the secret of an HMAC, and a token
//! without a signature is refused.

mod key;
#[cfg(test)]
pub(crate) mod signers;
#[cfg(test)]
mod tests;
mod token;

pub(crate) use key::{KeyName, Keys};
pub(crate) use token::Token;

/// A signature algorithm (RFC 7518, 3.1, and RFC 8037, 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Rs256,
    Ps256,
    Es256,
    EdDsa,
}

impl Algorithm {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Rs256, "RS256"),
        (Self::Ps256, "PS256"),
        (Self::Es256, "ES256"),
        (Self::EdDsa, "EdDSA"),
    ];

    fn named(name: &str) -> Option<Self> {
        let known = Self::ALL.iter().find(|(_, known)| *known == name);
        known.map(|(algorithm, _)| *algorithm)
    }
}
