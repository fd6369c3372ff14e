//! Public keys of an issuer.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;
use serde_json::Value;

use super::Algorithm;

/// An issuer's usable keys.
#[derive(Debug, Default)]
pub(crate) struct Keys(Vec<Key>);

/// How a token identifies its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyName {
    pub(super) algorithm: Algorithm,
    pub(super) kid: Option<String>,
}

/// A set of keys (RFC 7517, 5).
#[derive(Deserialize)]
struct Document {
    keys: Vec<Value>,
}

/// Members of a key. All of them are public.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

#[derive(Debug)]
pub(super) struct Key {
    kid: Option<String>,
    /// The only algorithm that it may be used with, if the issuer names one.
    algorithm: Option<Algorithm>,
    public: Public,
}

#[derive(Debug)]
enum Public {
    Rsa(RsaPublicKeyComponents<Vec<u8>>),
    /// An uncompressed point.
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl Keys {
    /// Reads the keys of a document. `None` if it can't be parsed. Keys for unsupported algorithms are skipped (RFC
    /// 7517, 5).
    pub(crate) fn read(document: &[u8]) -> Option<Self> {
        let document: Document = serde_json::from_slice(document).ok()?;
        let keys = document.keys.into_iter().filter_map(|key| {
            let jwk: Jwk = serde_json::from_value(key).ok()?;
            Key::read(jwk)
        });
        Some(Self(keys.collect()))
    }

    /// Whether it contains the key that a token names.
    pub(crate) fn have(&self, name: &KeyName) -> bool {
        self.find(name).is_some()
    }

    /// Finds the key that a token names. If the token names no key, finds the only key that fits its algorithm.
    pub(super) fn find(&self, name: &KeyName) -> Option<&Key> {
        let mut fitting = self
            .0
            .iter()
            .filter(|key| key.fits(name.algorithm) && (name.kid.is_none() || key.kid == name.kid));
        match (fitting.next(), fitting.next()) {
            (found, None) => found,
            (found, Some(_)) if name.kid.is_some() => found,
            _ => None,
        }
    }
}

impl Key {
    fn read(jwk: Jwk) -> Option<Self> {
        if jwk
            .purpose
            .as_deref()
            .is_some_and(|purpose| purpose != "sig")
        {
            return None;
        }
        let algorithm = match jwk.alg.as_deref() {
            Some(name) => Some(Algorithm::named(name)?),
            None => None,
        };
        let public = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
            ("RSA", None) => Public::Rsa(RsaPublicKeyComponents {
                n: number(jwk.n)?,
                e: number(jwk.e)?,
            }),
            ("EC", Some("P-256")) => {
                let point = [vec![4], exactly_32(jwk.x)?, exactly_32(jwk.y)?];
                Public::P256(point.concat())
            }
            ("OKP", Some("Ed25519")) => Public::Ed25519(exactly_32(jwk.x)?),
            _ => return None,
        };
        Some(Self {
            kid: jwk.kid,
            algorithm,
            public,
        })
    }

    fn fits(&self, algorithm: Algorithm) -> bool {
        let is_of_kind = match algorithm {
            Algorithm::Rs256 | Algorithm::Ps256 => matches!(self.public, Public::Rsa(_)),
            Algorithm::Es256 => matches!(self.public, Public::P256(_)),
            Algorithm::EdDsa => matches!(self.public, Public::Ed25519(_)),
        };
        is_of_kind && self.algorithm.is_none_or(|own| own == algorithm)
    }

    /// Whether this key signed the message. RSA keys with less than 2048 bits are rejected.
    pub(super) fn has_signed(
        &self,
        algorithm: Algorithm,
        message: &[u8],
        signature: &[u8],
    ) -> bool {
        let checked = match (&self.public, algorithm) {
            (Public::Rsa(key), Algorithm::Rs256) => {
                key.verify(&signature::RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
            (Public::Rsa(key), Algorithm::Ps256) => {
                key.verify(&signature::RSA_PSS_2048_8192_SHA256, message, signature)
            }
            (Public::P256(point), Algorithm::Es256) => {
                let key = UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point);
                key.verify(message, signature)
            }
            (Public::Ed25519(key), Algorithm::EdDsa) => {
                UnparsedPublicKey::new(&signature::ED25519, key).verify(message, signature)
            }
            _ => return false,
        };
        checked.is_ok()
    }
}

fn bytes(text: Option<String>) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text?).ok()
}

/// Decodes a number without leading zeros, which some issuers write.
fn number(text: Option<String>) -> Option<Vec<u8>> {
    let bytes = bytes(text)?;
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes.get(zeros..).map(<[u8]>::to_vec)
}

fn exactly_32(text: Option<String>) -> Option<Vec<u8>> {
    bytes(text).filter(|bytes| bytes.len() == 32)
}
