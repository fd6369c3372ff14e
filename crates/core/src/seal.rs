//! Sealing of secrets at rest.
//!
//! A key ring of the operator wraps one data key of the store; the data key seals every secret with
//! XChaCha20-Poly1305. What is sealed is bound to its place (table, row, column, generation): a ciphertext moved to
//! another row, or put back under a newer generation, does not open.

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
    identifier::DataKeyId,
    ports::{Entropy, Runtime},
    store::{Batch, Commit, DataKeyRow, Sealed, Store},
};

const FORMAT: u8 = 1;
const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
const ID_BYTES: usize = 16;

/// Keys of the operator. The first one wraps new data keys; all of them unwrap.
pub struct KeyRing {
    keys: Vec<RingKey>,
}

struct RingKey {
    id: String,
    bytes: Zeroizing<[u8; KEY_BYTES]>,
}

impl KeyRing {
    /// Reads `id:key` pairs separated by commas; a key is 32 bytes in unpadded URL-safe base64.
    ///
    /// # Errors
    /// [`ErrorKind::KeyUnavailable`] where the text is no key ring. The message does not repeat it.
    pub fn from_text(text: &str) -> Result<Self> {
        let keys = text.split(',').map(|pair| RingKey::from_text(pair.trim())).collect::<Result<Vec<_>>>()?;
        let mut ids: Vec<&str> = keys.iter().map(|key| key.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.len() != keys.len() {
            return Err(Error::new(ErrorKind::KeyUnavailable, "two keys of the ring have the same id"));
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
        (Self { keys: vec![RingKey { id, bytes }] }, pair)
    }

    fn find(&self, id: &str) -> Option<&RingKey> {
        self.keys.iter().find(|key| key.id == id)
    }
}

impl RingKey {
    fn from_text(pair: &str) -> Result<Self> {
        let malformed = || {
            Error::new(
                ErrorKind::KeyUnavailable,
                "a key is written id:key, the key being 32 bytes in unpadded URL-safe base64; `stead keys generate` makes one",
            )
        };
        let (id, text) = pair.split_once(':').ok_or_else(malformed)?;
        let well_named = !id.is_empty() && id.len() <= 32 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let decoded = Zeroizing::new(URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).map_err(|_| malformed())?);
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        if !well_named || decoded.len() != KEY_BYTES {
            return Err(malformed());
        }
        bytes.copy_from_slice(&decoded);
        Ok(Self { id: id.to_owned(), bytes })
    }
}

impl fmt::Debug for KeyRing {
    /// Shows the ids alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|key| &key.id)).finish()
    }
}

/// Where a secret stands. Part of what is authenticated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    table: &'a str,
    row: Uuid,
    column: &'a str,
    generation: u64,
}

impl<'a> Place<'a> {
    pub(crate) fn new(table: &'a str, row: Uuid, column: &'a str) -> Self {
        Self { table, row, column, generation: 0 }
    }
    pub(crate) fn generation(mut self, generation: u64) -> Self {
        self.generation = generation;
        self
    }

    /// Length-prefixed, so that no two places share their bytes.
    fn associated_data(self) -> Vec<u8> {
        let generation = self.generation.to_be_bytes();
        let parts: [&[u8]; 5] =
            [b"stead/v1", self.table.as_bytes(), self.row.as_bytes(), self.column.as_bytes(), &generation];
        parts.iter().flat_map(|part| (part.len() as u64).to_be_bytes().into_iter().chain(part.iter().copied())).collect()
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
        store: &dyn Store,
        runtime: &dyn Runtime,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self> {
        let mut rows = store.data_keys().await?;
        if rows.is_empty() {
            let row = first_data_key(ring, entropy.as_ref(), runtime)?;
            // A conflict means that another process was first; its key serves both.
            let (Commit::Committed | Commit::Conflict) = store.commit(Batch::new().insert(row)).await?;
            rows = store.data_keys().await?;
        }
        let ciphers = rows
            .iter()
            .map(|row| Ok((row.row.id, XChaCha20Poly1305::new((&*unwrap(ring, &row.row)?).into()))))
            .collect::<Result<Vec<_>>>()?;
        let active = ciphers.last().map(|(id, _)| *id).ok_or_else(|| Error::new(ErrorKind::KeyUnavailable, "the store keeps no data key"))?;
        Ok(Self { active, ciphers, entropy })
    }

    /// Seals a secret for its place.
    pub(crate) fn seal(&self, place: Place<'_>, secret: &[u8]) -> Result<Sealed> {
        let cipher = self.cipher(self.active)?;
        seal_with(cipher, self.active.uuid(), self.entropy.as_ref(), &place.associated_data(), secret)
    }

    /// Opens what was sealed for this place.
    pub(crate) fn open_sealed(&self, place: Place<'_>, sealed: &Sealed) -> Result<Zeroizing<Vec<u8>>> {
        let envelope = Envelope::read(sealed).ok_or_else(|| violated(place.table))?;
        let cipher = self.cipher(DataKeyId::from_uuid(envelope.key))?;
        open_with(cipher, &envelope, &place.associated_data()).ok_or_else(|| violated(place.table))
    }

    fn cipher(&self, id: DataKeyId) -> Result<&XChaCha20Poly1305> {
        self.ciphers
            .iter()
            .find_map(|(known, cipher)| (*known == id).then_some(cipher))
            .ok_or_else(|| Error::new(ErrorKind::KeyUnavailable, format!("the data key {id} is not open; restart this process")))
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault").field("active", &self.active).finish_non_exhaustive()
    }
}

fn violated(table: &str) -> Error {
    Error::new(ErrorKind::IntegrityViolated, format!("a stored secret ({table}) was changed from outside: its seal does not fit"))
}

/// The id is fixed, so that of two processes that start together only one makes the first key.
const FIRST_DATA_KEY: DataKeyId = DataKeyId::from_uuid(Uuid::from_u128(1));

fn first_data_key(ring: &KeyRing, entropy: &dyn Entropy, runtime: &dyn Runtime) -> Result<DataKeyRow> {
    let key = ring.keys.first().ok_or_else(|| Error::new(ErrorKind::KeyUnavailable, "the key ring is empty"))?;
    let mut bytes = Zeroizing::new([0; KEY_BYTES]);
    entropy.fill(bytes.as_mut_slice());
    let cipher = XChaCha20Poly1305::new((&*key.bytes).into());
    let wrapped =
        seal_with(&cipher, Uuid::nil(), entropy, &wrapping_place(FIRST_DATA_KEY, &key.id), bytes.as_slice())?;
    Ok(DataKeyRow { id: FIRST_DATA_KEY, ring_key: key.id.clone(), wrapped, created_at: runtime.now() })
}

fn unwrap(ring: &KeyRing, row: &DataKeyRow) -> Result<Zeroizing<[u8; KEY_BYTES]>> {
    let key = ring.find(&row.ring_key).ok_or_else(|| {
        Error::new(
            ErrorKind::KeyUnavailable,
            format!("this store was sealed with the key {:?}, which is not among the keys given: {ring:?}", row.ring_key),
        )
    })?;
    let cipher = XChaCha20Poly1305::new((&*key.bytes).into());
    let opened = Envelope::read(&row.wrapped)
        .and_then(|envelope| open_with(&cipher, &envelope, &wrapping_place(row.id, &row.ring_key)))
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

fn wrapping_place(id: DataKeyId, ring_key: &str) -> Vec<u8> {
    Place::new("data_key", id.uuid(), ring_key).associated_data()
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
        (*format == FORMAT).then(|| Self { key: Uuid::from_bytes(*key), nonce: *nonce, ciphertext })
    }
}

fn seal_with(cipher: &XChaCha20Poly1305, key: Uuid, entropy: &dyn Entropy, place: &[u8], secret: &[u8]) -> Result<Sealed> {
    let mut nonce = [0; NONCE_BYTES];
    entropy.fill(&mut nonce);
    let ciphertext = cipher
        .encrypt(&XNonce::from(nonce), Payload { msg: secret, aad: place })
        .map_err(|_| Error::new(ErrorKind::Internal, "a secret is too large to seal"))?;
    let mut bytes = Vec::with_capacity(1 + ID_BYTES + NONCE_BYTES + ciphertext.len());
    bytes.push(FORMAT);
    bytes.extend_from_slice(key.as_bytes());
    bytes.extend_from_slice(&nonce);
    bytes.extend_from_slice(&ciphertext);
    Ok(Sealed::from_bytes(bytes))
}

fn open_with(cipher: &XChaCha20Poly1305, envelope: &Envelope<'_>, place: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    cipher
        .decrypt(&XNonce::from(envelope.nonce), Payload { msg: envelope.ciphertext, aad: place })
        .ok()
        .map(Zeroizing::new)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use secrecy::ExposeSecret as _;

    use super::*;
    use crate::{
        account::new_account,
        app::NewAppCredential,
        identifier::{AccountId, ConnectionId, Identifier},
        oauth::TokenSet,
        store::{MemoryStore, Versioned},
        testing::{Numbers, World},
    };

    const ROW: Uuid = Uuid::from_u128(7);
    const SECRET: &[u8] = b"a refresh token";

    fn key(number: u8) -> String {
        URL_SAFE_NO_PAD.encode([number; KEY_BYTES])
    }

    fn ring(pairs: &[(&str, u8)]) -> KeyRing {
        let pairs: Vec<String> = pairs.iter().map(|(id, number)| format!("{id}:{}", key(*number))).collect();
        KeyRing::from_text(&pairs.join(",")).unwrap()
    }

    fn store() -> MemoryStore {
        MemoryStore::new(World::new().process(0))
    }

    /// Every process draws numbers of its own.
    fn open_as(process: u32, ring: &KeyRing, store: &MemoryStore) -> Result<Vault> {
        let runtime = World::new().process(process);
        Vault::open(ring, store, runtime.as_ref(), Numbers::seeded(process.into())).now_or_never().unwrap()
    }

    fn vault() -> Vault {
        open_as(0, &ring(&[("first", 1)]), &store()).unwrap()
    }

    fn place() -> Place<'static> {
        Place::new("credential", ROW, "tokens").generation(3)
    }

    #[test]
    fn what_is_sealed_opens_at_its_place_and_differs_every_time() {
        let vault = vault();
        for secret in [SECRET, b"", &[0; 100_000]] {
            let (one, other) = (vault.seal(place(), secret).unwrap(), vault.seal(place(), secret).unwrap());
            assert_ne!(one, other);
            assert_eq!(vault.open_sealed(place(), &one).unwrap().as_slice(), secret);
            assert_eq!(vault.open_sealed(place(), &other).unwrap().as_slice(), secret);
        }
    }

    #[test]
    fn the_plain_text_is_not_in_the_envelope() {
        let sealed = vault().seal(place(), SECRET).unwrap();
        assert!(!sealed.as_bytes().windows(SECRET.len()).any(|window| window == SECRET));
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let vault = vault();
        let sealed = vault.seal(place(), SECRET).unwrap();
        for (index, bit) in (0..sealed.as_bytes().len()).flat_map(|index| (0..8).map(move |bit| (index, bit))) {
            let mut bytes = sealed.as_bytes().to_vec();
            bytes[index] ^= 1 << bit;
            let kind = vault.open_sealed(place(), &Sealed::from_bytes(bytes)).unwrap_err().kind();
            // A key that is not known is a key that this process has yet to read.
            let in_key_id = (1..=ID_BYTES).contains(&index);
            let expected = if in_key_id { ErrorKind::KeyUnavailable } else { ErrorKind::IntegrityViolated };
            assert_eq!(kind, expected, "byte {index}, bit {bit}");
        }
    }

    #[test]
    fn a_secret_opens_nowhere_else() {
        let vault = vault();
        let sealed = vault.seal(place(), SECRET).unwrap();
        let elsewhere = [
            Place::new("connection", ROW, "tokens").generation(3),
            Place::new("credential", Uuid::from_u128(8), "tokens").generation(3),
            Place::new("credential", ROW, "token").generation(3),
            place().generation(4),
            place().generation(0),
        ];
        for place in elsewhere {
            let error = vault.open_sealed(place, &sealed).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::IntegrityViolated, "{place:?}");
        }
    }

    #[test]
    fn no_two_places_share_their_bytes() {
        let places = [("ab", "c"), ("a", "bc"), ("abc", ""), ("", "abc")];
        let bytes = places.map(|(table, column)| Place::new(table, Uuid::nil(), column).associated_data());
        for (index, one) in bytes.iter().enumerate() {
            assert!(!bytes[..index].contains(one), "{:?}", places[index]);
        }
    }

    #[test]
    fn a_cut_envelope_does_not_open() {
        let vault = vault();
        let sealed = vault.seal(place(), SECRET).unwrap();
        for length in 0..sealed.as_bytes().len() {
            let cut = Sealed::from_bytes(sealed.as_bytes()[..length].to_vec());
            assert_eq!(vault.open_sealed(place(), &cut).unwrap_err().kind(), ErrorKind::IntegrityViolated, "{length}");
        }
    }

    proptest::proptest! {
        #[test]
        fn random_bytes_do_not_open(bytes: Vec<u8>, known_key: bool) {
            let vault = vault();
            let mut bytes = bytes;
            if known_key {
                let mut head = vec![FORMAT];
                head.extend_from_slice(vault.active.uuid().as_bytes());
                bytes.splice(..0, head);
            }
            proptest::prop_assert!(vault.open_sealed(place(), &Sealed::from_bytes(bytes)).is_err());
        }

        #[test]
        fn any_text_is_a_ring_or_an_error_without_it(text in "\\PC{0,80}") {
            if let Err(error) = KeyRing::from_text(&text) {
                proptest::prop_assert_eq!(error.kind(), ErrorKind::KeyUnavailable);
                let repeated = text.len() >= 20 && format!("{error:?}").contains(&text);
                proptest::prop_assert!(!repeated);
            }
        }
    }

    #[test]
    fn only_the_ring_that_sealed_a_store_opens_it() {
        let store = store();
        let sealed = open_as(0, &ring(&[("first", 1)]), &store).unwrap().seal(place(), SECRET).unwrap();
        for good in [&[("first", 1)][..], &[("new", 2), ("first", 1)], &[("first", 1), ("new", 2)]] {
            let vault = open_as(1, &ring(good), &store).unwrap();
            assert_eq!(vault.open_sealed(place(), &sealed).unwrap().as_slice(), SECRET, "{good:?}");
        }
        for (bad, named) in [(&[("first", 2)][..], "first"), (&[("other", 1)], "other"), (&[("a", 3), ("b", 4)], "first")] {
            let error = open_as(1, &ring(bad), &store).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::KeyUnavailable, "{bad:?}");
            assert!(error.message().contains(named), "{error}");
            (1..5).for_each(|number| assert!(!format!("{error:?}").contains(&key(number))));
        }
    }

    #[test]
    fn the_first_key_of_a_ring_wraps() {
        let store = store();
        open_as(0, &ring(&[("new", 2), ("old", 1)]), &store).unwrap();
        assert!(open_as(1, &ring(&[("new", 2)]), &store).is_ok());
        assert!(open_as(1, &ring(&[("old", 1)]), &store).is_err());
    }

    #[test]
    fn of_two_processes_that_start_together_one_makes_the_key() {
        let (ring, store, runtime) = (ring(&[("first", 1)]), store(), World::new().process(0));
        let (one, other) = (Numbers::seeded(1), Numbers::seeded(2));
        let rows = [one, other].map(|numbers| first_data_key(&ring, numbers.as_ref(), runtime.as_ref()).unwrap());
        let commits = rows.map(|row| store.commit(Batch::new().insert(row)).now_or_never().unwrap().unwrap());
        assert_eq!(commits, [Commit::Committed, Commit::Conflict]);
        let vaults = [1, 2].map(|process| open_as(process, &ring, &store).unwrap());
        let sealed = vaults[0].seal(place(), SECRET).unwrap();
        assert_eq!(vaults[1].open_sealed(place(), &sealed).unwrap().as_slice(), SECRET);
    }

    #[test]
    fn a_changed_data_key_is_noticed() {
        let (ring, store) = (ring(&[("first", 1)]), store());
        open_as(0, &ring, &store).unwrap();
        let Versioned { mut row, version, .. } = store.data_keys().now_or_never().unwrap().unwrap().remove(0);
        let mut bytes = row.wrapped.as_bytes().to_vec();
        *bytes.last_mut().unwrap() ^= 1;
        row.wrapped = Sealed::from_bytes(bytes);
        assert_eq!(store.commit(Batch::new().update(row, version)).now_or_never().unwrap().unwrap(), Commit::Committed);
        assert_eq!(open_as(1, &ring, &store).unwrap_err().kind(), ErrorKind::KeyUnavailable);
    }

    #[test]
    fn rings_are_read_from_text() {
        let (one, two) = (key(1), key(0xff));
        let good = [
            (format!("a:{one}"), &["a"][..]),
            (format!("a:{one}="), &["a"]),
            (format!(" k-1:{one} , k-2:{two} "), &["k-1", "k-2"]),
            (format!("{}:{one}", "x".repeat(32)), &["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]),
        ];
        for (text, ids) in good {
            let ring = KeyRing::from_text(&text).unwrap();
            assert_eq!(ring.keys.iter().map(|key| key.id.as_str()).collect::<Vec<_>>(), ids, "{text}");
        }
        let short = URL_SAFE_NO_PAD.encode([1; 31]);
        let bad = [
            String::new(),
            one.clone(),
            format!(":{one}"),
            format!("a b:{one}"),
            format!("{}:{one}", "x".repeat(33)),
            format!("a:{short}"),
            format!("a:{one}{one}"),
            format!("a:{}", one.replace('E', "+")),
            format!("a:{one},"),
            format!("a:{one},a:{two}"),
        ];
        for text in bad {
            let error = KeyRing::from_text(&text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::KeyUnavailable, "{text}");
            for secret in [&one, &two, &short] {
                assert!(!format!("{error:?} {error}").contains(secret.as_str()), "{error:?}");
            }
        }
    }

    #[test]
    fn a_generated_ring_reads_back() {
        let (generated, text) = KeyRing::generate(Numbers::seeded(5).as_ref());
        let read = KeyRing::from_text(text.expose_secret()).unwrap();
        assert_eq!(format!("{generated:?}"), format!("{read:?}"));
        let store = store();
        open_as(0, &generated, &store).unwrap();
        assert!(open_as(1, &read, &store).is_ok());
    }

    #[test]
    fn nothing_that_holds_a_secret_shows_it() {
        let secret = || SecretString::from("CANARY-secret");
        let tokens = TokenSet::new(secret(), Some(secret()), None).unwrap();
        let vault = vault();
        let account = new_account(
            AccountId::from_uuid(ROW),
            ConnectionId::from_uuid(ROW),
            Identifier::new("ada").unwrap(),
            jiff::Timestamp::UNIX_EPOCH,
        );
        let sealed = tokens.seal(&vault, &account, 1).unwrap();
        let shown = [
            format!("{:?}", ring(&[("first", 1)])),
            format!("{vault:?}"),
            format!("{tokens:?} {:?}", tokens.bearer()),
            format!("{sealed:?}"),
            format!("{:?}", NewAppCredential { client_id: String::from("app_1"), client_secret: secret() }),
            format!("{:?}", secret()),
        ];
        for shown in shown {
            assert!(!shown.contains("CANARY") && !shown.contains(&key(1)), "{shown}");
        }
    }
}
