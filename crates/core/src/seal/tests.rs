//! Ciphertexts are bound to their place, and keys are replaced without rewriting the data that they encrypted.

use std::sync::Arc;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::FutureExt as _;
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    envelope::{FORMAT, ID_BYTES},
    wrapped::first_data_key,
    *,
};
use crate::{
    ErrorKind, Result,
    context::TokenSet,
    identifier::DataKeyId,
    sealed::{AssociatedData, Place, Sealed},
    store::{Batch, Commit, MemoryStore, Records},
    testing::{Numbers, START, World, account},
};

const ROW: Uuid = Uuid::from_u128(7);
const SECRET: &[u8] = b"a refresh token";

fn key(number: u8) -> String {
    URL_SAFE_NO_PAD.encode([number; KEY_BYTES])
}

fn ring(pairs: &[(&str, u8)]) -> KeyRing {
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(id, number)| format!("{id}:{}", key(*number)))
        .collect();
    KeyRing::from_text(&pairs.join(",")).unwrap()
}

fn store() -> Records {
    Records::new(Arc::new(MemoryStore::new(World::new().process(0))))
}

/// The result of work in memory, which finishes immediately.
fn done<T>(work: impl Future<Output = Result<T>>) -> T {
    work.now_or_never().unwrap().unwrap()
}

/// Every process draws different numbers.
fn open_as(process: u32, ring: KeyRing, store: &Records) -> Result<Vault> {
    let runtime = World::new().process(process);
    let numbers = Numbers::seeded(process.into());
    Vault::unlock(ring, None, store, runtime, numbers)
        .now_or_never()
        .unwrap()
}

fn opened<P: Place>(vault: &Vault, place: &P, sealed: &Sealed<P>) -> Result<Zeroizing<Vec<u8>>> {
    vault.open(place, sealed).now_or_never().unwrap()
}

fn vault() -> Vault {
    open_as(0, ring(&[("first", 1)]), &store()).unwrap()
}

fn place() -> AssociatedData<'static> {
    AssociatedData::new("credential", ROW, "tokens").generation(3)
}

#[test]
fn ciphertext_differs_every_time_and_decrypts_at_its_place() {
    let vault = vault();
    for secret in [SECRET, b"", &[0; 100_000]] {
        let (one, other) = (
            vault.seal(&place(), secret).unwrap(),
            vault.seal(&place(), secret).unwrap(),
        );
        assert_ne!(one, other);
        assert_eq!(opened(&vault, &place(), &one).unwrap().as_slice(), secret);
        assert_eq!(opened(&vault, &place(), &other).unwrap().as_slice(), secret);
        let mut windows = one.as_bytes().windows(secret.len().max(1));
        assert!(!windows.any(|window| window == secret), "the plain text");
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let vault = vault();
    let sealed = vault.seal(&place(), SECRET).unwrap();
    for number in 0..sealed.as_bytes().len() * 8 {
        let (index, bit) = (number / 8, number % 8);
        let mut bytes = sealed.as_bytes().to_vec();
        bytes[index] ^= 1 << bit;
        let error = opened(&vault, &place(), &Sealed::from_bytes(bytes)).unwrap_err();
        // An unknown key may be one that this process hasn't read yet.
        let expected = match (1..=ID_BYTES).contains(&index) {
            true => ErrorKind::KeyUnavailable,
            false => ErrorKind::IntegrityViolated,
        };
        assert_eq!(error.kind(), expected, "byte {index}, bit {bit}");
    }
}

#[test]
fn a_secret_decrypts_only_at_its_place() {
    let vault = vault();
    let sealed = vault.seal(&place(), SECRET).unwrap();
    let elsewhere = [
        AssociatedData::new("connection", ROW, "tokens").generation(3),
        AssociatedData::new("credential", Uuid::from_u128(8), "tokens").generation(3),
        AssociatedData::new("credential", ROW, "token").generation(3),
        place().generation(4),
        place().generation(0),
    ];
    for place in elsewhere {
        let error = opened(&vault, &place, &sealed).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::IntegrityViolated, "{place:?}");
    }
}

#[test]
fn no_two_places_share_their_bytes() {
    let places = [("ab", "c"), ("a", "bc"), ("abc", ""), ("", "abc")];
    let bytes =
        places.map(|(table, column)| AssociatedData::new(table, Uuid::nil(), column).bytes());
    for (index, one) in bytes.iter().enumerate() {
        assert!(!bytes[..index].contains(one), "{:?}", places[index]);
    }
}

#[test]
fn a_cut_envelope_does_not_open() {
    let vault = vault();
    let sealed = vault.seal(&place(), SECRET).unwrap();
    for length in 0..sealed.as_bytes().len() {
        let cut = Sealed::from_bytes(sealed.as_bytes()[..length].to_vec());
        let error = opened(&vault, &place(), &cut).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::IntegrityViolated, "{length}");
    }
}

proptest::proptest! {
    #[test]
    fn random_bytes_do_not_open(bytes: Vec<u8>, known_key: bool) {
        let vault = vault();
        let mut bytes = bytes;
        if known_key {
            let mut head = vec![FORMAT];
            head.extend_from_slice(vault.active().unwrap().uuid().as_bytes());
            bytes.splice(..0, head);
        }
        proptest::prop_assert!(opened(&vault, &place(), &Sealed::from_bytes(bytes)).is_err());
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
fn a_store_opens_only_with_its_key_ring() {
    let store = store();
    let vault = open_as(0, ring(&[("first", 1)]), &store).unwrap();
    let sealed = vault.seal(&place(), SECRET).unwrap();
    for good in [
        &[("first", 1)][..],
        &[("new", 2), ("first", 1)],
        &[("first", 1), ("new", 2)],
    ] {
        let vault = open_as(1, ring(good), &store).unwrap();
        let opened = opened(&vault, &place(), &sealed).unwrap();
        assert_eq!(opened.as_slice(), SECRET, "{good:?}");
    }
    for (bad, named) in [
        (&[("first", 2)][..], "first"),
        (&[("other", 1)], "other"),
        (&[("a", 3), ("b", 4)], "first"),
    ] {
        let error = open_as(1, ring(bad), &store).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::KeyUnavailable, "{bad:?}");
        assert!(error.message().contains(named), "{error}");
        (1..5).for_each(|number| assert!(!format!("{error:?}").contains(&key(number))));
    }
}

#[test]
fn the_first_key_of_a_ring_wraps() {
    let store = store();
    open_as(0, ring(&[("new", 2), ("old", 1)]), &store).unwrap();
    assert!(open_as(1, ring(&[("new", 2)]), &store).is_ok());
    assert!(open_as(1, ring(&[("old", 1)]), &store).is_err());
}

#[test]
fn one_of_two_starting_processes_creates_the_key() {
    let (first, store) = (ring(&[("first", 1)]), store());
    let (one, other) = (Numbers::seeded(1), Numbers::seeded(2));
    let rows = [one, other].map(|numbers| first_data_key(&first, numbers.as_ref(), START).unwrap());
    let commits = rows.map(|row| done(store.commit(Batch::new().insert(row))));
    assert_eq!(commits, [Commit::Committed, Commit::Conflict]);
    let vaults = [1, 2].map(|process| open_as(process, ring(&[("first", 1)]), &store).unwrap());
    let sealed = vaults[0].seal(&place(), SECRET).unwrap();
    let opened = opened(&vaults[1], &place(), &sealed).unwrap();
    assert_eq!(opened.as_slice(), SECRET);
}

#[test]
fn a_changed_data_key_is_noticed() {
    let store = store();
    open_as(0, ring(&[("first", 1)]), &store).unwrap();
    let mut found = done(store.data_keys()).remove(0);
    let mut bytes = found.row.wrapped.unwrap().as_bytes().to_vec();
    *bytes.last_mut().unwrap() ^= 1;
    found.row.wrapped = Some(Sealed::from_bytes(bytes));
    let batch = Batch::new().update(found.row, found.version);
    assert_eq!(done(store.commit(batch)), Commit::Committed);
    let error = open_as(1, ring(&[("first", 1)]), &store).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyUnavailable);
}

#[test]
fn a_data_key_opens_only_under_the_id_it_was_made_for() {
    let store = store();
    open_as(0, ring(&[("first", 1)]), &store).unwrap();
    let mut copy = done(store.data_keys()).remove(0).row;
    copy.id = DataKeyId::from_uuid(Uuid::from_u128(copy.id.uuid().as_u128() + 1));
    let copied = done(store.commit(Batch::new().insert(copy)));
    assert_eq!(copied, Commit::Committed);
    let error = open_as(1, ring(&[("first", 1)]), &store).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyUnavailable);
}

#[test]
fn rings_are_read_from_text() {
    let (one, two, long) = (key(1), key(0xff), "x".repeat(32));
    let good = [
        (format!("a:{one}"), &["a"][..]),
        (format!("a:{one}="), &["a"]),
        (format!(" k-1:{one} , k-2:{two} "), &["k-1", "k-2"]),
        (format!("{long}:{one}"), &[&long]),
    ];
    for (text, ids) in good {
        let ring = KeyRing::from_text(&text).unwrap();
        assert!(ring.ids().eq(ids.iter().copied()), "{text}: {ring:?}");
    }
    let short = URL_SAFE_NO_PAD.encode([1; 31]);
    let bad = [
        String::new(),
        one.clone(),
        format!(":{one}"),
        format!("a b:{one}"),
        format!("x{long}:{one}"),
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
            assert!(
                !format!("{error:?} {error}").contains(secret.as_str()),
                "{error:?}"
            );
        }
    }
}

#[test]
fn a_generated_ring_reads_back() {
    let (generated, text) = KeyRing::generate(Numbers::seeded(5).as_ref());
    let read = KeyRing::from_text(text.expose_secret()).unwrap();
    assert_eq!(format!("{generated:?}"), format!("{read:?}"));
    let store = store();
    open_as(0, generated, &store).unwrap();
    assert!(open_as(1, read, &store).is_ok());
}

#[test]
fn debug_output_hides_secrets() {
    let secret = || SecretString::from("CANARY-secret");
    let tokens = TokenSet::new(secret(), Some(secret()), None);
    let vault = vault();
    let sealed = tokens.seal(&vault, &account(1, "ada"), 1).unwrap();
    let shown = [
        format!("{:?}", ring(&[("first", 1)])),
        format!("{vault:?}"),
        format!("{tokens:?} {:?}", tokens.bearer()),
        format!("{sealed:?}"),
        format!("{:?}", secret()),
    ];
    for shown in shown {
        assert!(
            !shown.contains("CANARY") && !shown.contains(&key(1)),
            "{shown}"
        );
    }
}
