//! Signing keys for test issuers, one of each kind.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    rand::SystemRandom,
    rsa::PublicKeyComponents,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
        RSA_PKCS1_SHA256, RSA_PSS_SHA256, RsaKeyPair,
    },
};
use serde_json::{Value, json};

pub(crate) enum Signer {
    /// Generating an RSA key takes too long, so this one is fixed. Only these tests use it.
    Rsa(RsaKeyPair),
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Signer {
    pub(crate) fn rsa() -> Self {
        Self::Rsa(RsaKeyPair::from_pkcs8(include_bytes!("rsa.test.der")).unwrap())
    }

    pub(crate) fn p256() -> Self {
        let (random, kind) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let made = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        Self::P256(EcdsaKeyPair::from_pkcs8(kind, made.as_ref(), &random).unwrap())
    }

    pub(crate) fn ed25519(seed: u8) -> Self {
        Self::Ed25519(Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap())
    }

    /// The public key as a JWK.
    pub(crate) fn jwk(&self, kid: &str) -> Value {
        match self {
            Self::Rsa(pair) => {
                let public = PublicKeyComponents::<Vec<u8>>::from(pair.public());
                // Some issuers include the sign byte of ASN.1.
                let modulus = [&[0][..], &public.n].concat();
                json!({ "kty": "RSA", "kid": kid, "n": encoded(&modulus), "e": encoded(&public.e) })
            }
            Self::P256(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({ "kty": "EC", "crv": "P-256", "kid": kid, "x": encoded(x), "y": encoded(y) })
            }
            Self::Ed25519(pair) => {
                json!({ "kty": "OKP", "crv": "Ed25519", "kid": kid, "x": encoded(pair.public_key().as_ref()) })
            }
        }
    }

    /// Creates a token with this header, signed with its algorithm.
    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        let parts = [header, claims].map(|part| encoded(part.to_string().as_bytes()));
        let signed = parts.join(".");
        let (message, random) = (signed.as_bytes(), SystemRandom::new());
        let signature = match self {
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                match header["alg"].as_str() {
                    Some("PS256") => pair.sign(&RSA_PSS_SHA256, &random, message, &mut signature),
                    _ => pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature),
                }
                .unwrap();
                signature
            }
            Self::P256(pair) => pair.sign(&random, message).unwrap().as_ref().to_vec(),
            Self::Ed25519(pair) => pair.sign(message).as_ref().to_vec(),
        };
        format!("{signed}.{}", encoded(&signature))
    }
}
