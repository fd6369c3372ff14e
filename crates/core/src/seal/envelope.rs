//! The bytes of an encrypted secret: the ID of its data key, the nonce, and the ciphertext.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::{
    Error, ErrorKind, Result,
    identifier::DataKeyId,
    ports::Entropy,
    sealed::{Place, Sealed},
};

pub(super) const FORMAT: u8 = 1;
const NONCE_BYTES: usize = 24;
pub(super) const ID_BYTES: usize = 16;

/// Layout: format (1), key ID (16), nonce (24), ciphertext with tag.
pub(super) struct Envelope<'a> {
    pub(super) key: Uuid,
    nonce: [u8; NONCE_BYTES],
    ciphertext: &'a [u8],
}

impl<'a> Envelope<'a> {
    pub(super) fn read<P: Place>(sealed: &'a Sealed<P>) -> Option<Self> {
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

pub(super) fn seal_with<P: Place>(
    cipher: &XChaCha20Poly1305,
    key: Uuid,
    entropy: &dyn Entropy,
    place: &P,
    secret: &[u8],
) -> Result<Sealed<P>> {
    let mut nonce = [0; NONCE_BYTES];
    entropy.fill(&mut nonce);
    let ciphertext = cipher
        .encrypt(
            &XNonce::from(nonce),
            Payload {
                msg: secret,
                aad: &place.data().bytes(),
            },
        )
        .map_err(|_| Error::new(ErrorKind::Internal, "a secret is too large to encrypt"))?;
    let mut bytes = Vec::with_capacity(1 + ID_BYTES + NONCE_BYTES + ciphertext.len());
    bytes.push(FORMAT);
    bytes.extend_from_slice(key.as_bytes());
    bytes.extend_from_slice(&nonce);
    bytes.extend_from_slice(&ciphertext);
    Ok(Sealed::from_bytes(bytes))
}

pub(super) fn open_with(
    cipher: &XChaCha20Poly1305,
    envelope: &Envelope<'_>,
    place: &impl Place,
) -> Option<Zeroizing<Vec<u8>>> {
    cipher
        .decrypt(
            &XNonce::from(envelope.nonce),
            Payload {
                msg: envelope.ciphertext,
                aad: &place.data().bytes(),
            },
        )
        .ok()
        .map(Zeroizing::new)
}

/// The data keys that encrypted the secrets in a stored body. This finds all texts that look like an encrypted secret,
/// without knowing the body's members, and works even for bodies that no entity can be read from.
///
/// A text from a user may look like one too, so only IDs of existing data keys mean anything.
pub(crate) fn data_keys_in(body: &str) -> impl Iterator<Item = DataKeyId> {
    // The first 24 characters contain the format, the ID and a byte of the nonce.
    const CHARACTERS: usize = 24;
    body.match_indices("\"A").filter_map(|(quote, _)| {
        let text = body.get(quote + 1..quote + 1 + CHARACTERS)?;
        let bytes = STANDARD.decode(text).ok()?;
        let (format, rest) = bytes.split_first()?;
        let (key, _) = rest.split_first_chunk::<ID_BYTES>()?;
        (*format == FORMAT).then(|| DataKeyId::from_uuid(Uuid::from_bytes(*key)))
    })
}
