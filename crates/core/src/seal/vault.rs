//! Encrypts and decrypts secrets with a store's data keys, and reads these keys again when needed.
//!
//! Another process can add, activate or retire a data key at any time. If a secret's key is unknown, the vault
//! therefore reads the data keys again. Every commit guards the row of the key that encrypted its secrets. If that row
//! has changed, the commit conflicts and the secrets are encrypted again. After the commit that replaces a key, no
//! commit stores anything under the old key.

use std::{
    collections::BTreeSet,
    fmt,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305};
use jiff::Timestamp;
use serde::{Serialize, de::DeserializeOwned};
use tokio::sync::Mutex;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    KeyRing,
    envelope::{Envelope, data_keys_in, open_with, seal_with},
    rows::RowKey,
    wrapped::{Bytes, first_data_key, new_data_key, unwrap, wrap},
};
use crate::{
    Error, ErrorKind, Result,
    domain::DataKey,
    identifier::DataKeyId,
    ports::{Entropy, KeySource, Runtime},
    sealed::{Place, Sealed},
    state::DataKeyState,
    store::{Batch, Commit, Record, Records, Table, Versioned, Write},
};

/// Minimum time between two reads of the key ring's source, because it may be a program that calls a service.
const ASKED_AGAIN: Duration = Duration::from_secs(10);

/// Encrypts and decrypts secrets with the store's data keys.
pub(crate) struct Vault {
    keys: RwLock<Arc<Keys>>,
    ring: RwLock<Arc<KeyRing>>,
    /// Held while the data keys are being read.
    reading: Mutex<Reading>,
    /// How often a read of the data keys has started.
    readings: AtomicU64,
    store: Records,
    runtime: Arc<dyn Runtime>,
    entropy: Arc<dyn Entropy>,
}

struct Reading {
    source: Option<Arc<dyn KeySource>>,
    asked: Option<Duration>,
    /// Keys of the key ring that this process doesn't have and has already reported.
    missing: BTreeSet<String>,
}

/// The data keys as of one read.
pub(super) struct Keys {
    all: Vec<Known>,
}

pub(super) struct Known {
    pub(super) id: DataKeyId,
    pub(super) version: u64,
    pub(super) state: DataKeyState,
    opened: Result<Opened>,
}

/// A decrypted data key, ready for use.
#[derive(Clone)]
pub(super) struct Opened {
    cipher: XChaCha20Poly1305,
    pub(super) rows: RowKey,
    /// Since when rows need a MAC, as proved by the key's encryption.
    rows_since: Option<Timestamp>,
}

impl Opened {
    fn new(bytes: &Bytes, rows_since: Option<Timestamp>) -> Result<Self> {
        Ok(Self {
            cipher: XChaCha20Poly1305::new((&**bytes).into()),
            rows: RowKey::of(bytes)?,
            rows_since,
        })
    }
}

/// The data keys before something was encrypted. The commit of it checks that they haven't changed.
#[derive(Clone)]
pub(crate) struct Fence(Arc<Keys>);

impl Keys {
    pub(super) fn find(&self, id: DataKeyId) -> Option<&Known> {
        self.all.iter().find(|known| known.id == id)
    }

    /// The active key, which encrypts.
    pub(super) fn active(&self) -> Result<(&Known, &Opened)> {
        let mut keys = self.all.iter().rev();
        let active = keys
            .find(|known| known.state == DataKeyState::Active)
            .ok_or_else(|| {
                Error::new(
                    ErrorKind::KeyUnavailable,
                    "the store has no active data key",
                )
            })?;
        Ok((active, active.opened.as_ref().map_err(Error::clone)?))
    }

    pub(super) fn opened(&self, id: DataKeyId) -> Result<&Opened> {
        let known = self.find(id).ok_or_else(|| {
            Error::new(
                ErrorKind::KeyUnavailable,
                format!(
                    "a secret is encrypted with the data key {id}, which this store doesn't have"
                ),
            )
        })?;
        known.opened.as_ref().map_err(Error::clone)
    }

    /// Since when rows need a MAC, as one of the keys proves.
    pub(super) fn rows_since(&self) -> Option<Timestamp> {
        let opened = self
            .all
            .iter()
            .filter_map(|known| known.opened.as_ref().ok());
        opened.filter_map(|opened| opened.rows_since).min()
    }
}

impl Fence {
    /// Adds guards for the data keys that the batch uses. Also returns whether there are any.
    pub(crate) fn guard(&self, batch: Batch) -> (Batch, bool) {
        let sealed = |write: &Write| match write {
            Write::Insert(row) | Write::Update(row, _) if is_fenced(row.table) => {
                data_keys_in(&row.body).collect::<Vec<_>>()
            }
            _ => Vec::new(),
        };
        let ids: BTreeSet<DataKeyId> = batch.writes.iter().flat_map(sealed).collect();
        let known = ids.into_iter().filter_map(|id| self.0.find(id));
        let guards: Vec<_> = known.map(|known| (known.id, known.version)).collect();
        let is_fenced = !guards.is_empty();
        let batch = guards
            .into_iter()
            .fold(batch, |batch, (id, version)| batch.guard(id, version));
        (batch, is_fenced)
    }
}

/// Whether rows of a table contain anything that data keys have encrypted.
fn is_fenced(table: &Table) -> bool {
    table.sealed && *table != *DataKey::TABLE
}

impl Vault {
    /// Decrypts the store's data keys with the key ring, or creates the first one. This proves that the key ring
    /// belongs to the store. A key that is still being added may fail to decrypt.
    pub(crate) async fn unlock(
        ring: KeyRing,
        source: Option<Arc<dyn KeySource>>,
        store: &Records,
        runtime: Arc<dyn Runtime>,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self> {
        if store.data_keys().await?.is_empty() {
            let now = store.now().await?;
            let row = first_data_key(&ring, entropy.as_ref(), now)?;
            // A conflict means that another process was first, so both use its key.
            let (Commit::Committed | Commit::Conflict) =
                store.commit(Batch::new().insert(row)).await?;
        }
        let reading = Reading {
            source,
            asked: None,
            missing: BTreeSet::new(),
        };
        let vault = Self {
            keys: RwLock::new(Arc::new(Keys { all: Vec::new() })),
            ring: RwLock::new(Arc::new(ring)),
            reading: Mutex::new(reading),
            readings: AtomicU64::new(0),
            store: store.clone(),
            runtime,
            entropy,
        };
        vault.reload().await?;
        let keys = vault.keys();
        keys.active()?;
        let mut needed = keys
            .all
            .iter()
            .filter(|known| known.state == DataKeyState::Retiring);
        if let Some(error) = needed.find_map(|known| known.opened.as_ref().err()) {
            return Err(error.clone());
        }
        drop(keys);
        Ok(vault)
    }

    /// Encrypts a secret and binds it to its place.
    pub(crate) fn seal<P: Place>(&self, place: &P, secret: &[u8]) -> Result<Sealed<P>> {
        self.seal_with(&self.keys(), place, secret)
    }

    fn seal_with<P: Place>(&self, keys: &Keys, place: &P, secret: &[u8]) -> Result<Sealed<P>> {
        let (active, opened) = keys.active()?;
        let (id, entropy) = (active.id.uuid(), self.entropy.as_ref());
        seal_with(&opened.cipher, id, entropy, place, secret)
    }

    /// Decrypts the secret of a place.
    pub(crate) async fn open<P: Place>(
        &self,
        place: &P,
        sealed: &Sealed<P>,
    ) -> Result<Zeroizing<Vec<u8>>> {
        let envelope = Envelope::read(sealed).ok_or_else(|| violated(place))?;
        let id = DataKeyId::from_uuid(envelope.key);
        let readings = self.readings.load(Ordering::SeqCst);
        let mut keys = self.keys();
        if keys.opened(id).is_err() {
            self.read_since(readings).await?;
            keys = self.keys();
        }
        let cipher = &keys.opened(id)?.cipher;
        open_with(cipher, &envelope, place).ok_or_else(|| violated(place))
    }

    /// Encrypts a value that someone else stores.
    pub(crate) fn seal_text<P: Place>(&self, place: &P, value: &impl Serialize) -> Result<String> {
        let plain = serde_json::to_vec(value).map(Zeroizing::new);
        let plain = plain.map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?;
        Ok(URL_SAFE_NO_PAD.encode(self.seal(place, &plain)?.as_bytes()))
    }

    /// Decrypts a value that someone else stored. `None` if it was never encrypted for this place, or if it was
    /// changed.
    pub(crate) async fn open_text<P: Place, T: DeserializeOwned>(
        &self,
        place: &P,
        text: &str,
    ) -> Result<Option<T>> {
        let Ok(bytes) = URL_SAFE_NO_PAD.decode(text) else {
            return Ok(None);
        };
        match self.open(place, &Sealed::from_bytes(bytes)).await {
            Ok(plain) => Ok(serde_json::from_slice(&plain).ok()),
            Err(error) if error.kind() == ErrorKind::StorageUnavailable => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Re-encrypts a secret with the active key. `None` if it already is.
    pub(crate) fn seal_again<P: Place>(
        &self,
        place: &P,
        sealed: &Sealed<P>,
    ) -> Result<Option<Sealed<P>>> {
        let keys = self.keys();
        let envelope = Envelope::read(sealed).ok_or_else(|| violated(place))?;
        let id = DataKeyId::from_uuid(envelope.key);
        if keys.active()?.0.id == id {
            return Ok(None);
        }
        let opened =
            open_with(&keys.opened(id)?.cipher, &envelope, place).ok_or_else(|| violated(place))?;
        self.seal_with(&keys, place, &opened).map(Some)
    }

    /// The active key.
    pub(crate) fn active(&self) -> Result<DataKeyId> {
        Ok(self.keys().active()?.0.id)
    }

    /// The keys before something is encrypted.
    pub(crate) fn fence(&self) -> Fence {
        Fence(self.keys())
    }

    /// Keys that are being added and that this process can't decrypt.
    pub(crate) fn unopened(&self) -> Vec<DataKeyId> {
        let keys = self.keys();
        let added = keys
            .all
            .iter()
            .filter(|known| known.state == DataKeyState::Added && known.opened.is_err());
        added.map(|known| known.id).collect()
    }

    /// IDs of the key ring's keys. The first one encrypts data keys.
    pub(crate) fn ring(&self) -> Vec<String> {
        self.key_ring().ids().map(str::to_owned).collect()
    }

    /// A new data key, encrypted with the first key of the key ring.
    pub(crate) fn new_data_key(&self, id: Uuid, now: Timestamp) -> Result<DataKey> {
        let (ring, id) = (self.key_ring(), DataKeyId::from_uuid(id));
        let since = self.keys().rows_since();
        new_data_key(&ring, self.entropy.as_ref(), id, now, since)
    }

    /// A data key re-encrypted with the first key of the key ring. `None` if it already is, or if it's retired.
    pub(crate) fn wrap_again(&self, row: &DataKey) -> Result<Option<DataKey>> {
        let ring = self.key_ring();
        if row.wrapped.is_none() || ring.first()?.id == row.ring_key {
            return Ok(None);
        }
        let bytes = unwrap(&ring, row)?;
        wrap(&ring, self.entropy.as_ref(), row.clone(), &bytes).map(Some)
    }

    /// The key's row with the time since when rows need a MAC. The key's encryption proves this time from then on.
    pub(crate) fn authenticating(&self, row: &DataKey, since: Timestamp) -> Result<DataKey> {
        let ring = self.key_ring();
        let bytes = unwrap(&ring, row)?;
        let mut row = row.clone();
        row.authenticates_rows_since = Some(since);
        wrap(&ring, self.entropy.as_ref(), row, &bytes)
    }

    /// Reads the data keys again.
    pub(crate) async fn reload(&self) -> Result<()> {
        let readings = self.readings.load(Ordering::SeqCst);
        self.read_since(readings).await
    }

    /// Reads the data keys, unless a read has started after the given number of reads. If a thousand calls encounter a
    /// new key, only one of them reads it.
    async fn read_since(&self, readings: u64) -> Result<()> {
        let mut reading = self.reading.lock().await;
        if self.readings.load(Ordering::SeqCst) > readings {
            return Ok(());
        }
        self.readings.fetch_add(1, Ordering::SeqCst);
        let rows = self.store.data_keys().await?;
        let lacks_more = self.ask_for_missing(&rows, &mut reading).await;
        let (before, ring) = (self.keys(), self.key_ring());
        let all = rows.iter().map(|row| known(row, &before, &ring)).collect();
        let keys = Arc::new(Keys { all });
        // A process that can't start at all reports this in its error instead.
        if lacks_more && (before.active().is_ok() || keys.active().is_ok()) {
            let (given, missing) = (self.ring(), &reading.missing);
            tracing::warn!(
                ?missing,
                ?given,
                "data keys of this store are encrypted with a key that this process doesn't have; give it that key, or it can't start again"
            );
        }
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = keys;
        Ok(())
    }

    /// Reads the key ring from its source if it lacks a key that encrypts one of the store's keys. Returns whether it
    /// still lacks keys, and not the same ones as last time.
    async fn ask_for_missing(&self, rows: &[Versioned<DataKey>], reading: &mut Reading) -> bool {
        let lacks = |ring: &KeyRing| -> BTreeSet<String> {
            let needed = rows.iter().filter(|row| row.row.wrapped.is_some());
            let ids = needed.map(|row| row.row.ring_key.clone());
            ids.filter(|id| ring.find(id).is_none()).collect()
        };
        let mut missing = lacks(&self.key_ring());
        let now = self.runtime.monotonic();
        let is_due = |asked: Duration| now.saturating_sub(asked) >= ASKED_AGAIN;
        if !missing.is_empty()
            && let Some(source) = &reading.source
            && reading.asked.is_none_or(is_due)
        {
            reading.asked = Some(now);
            let read = source.read().await;
            let ring = read
                .and_then(|text| KeyRing::from_text(secrecy::ExposeSecret::expose_secret(&text)));
            match ring {
                Ok(ring) => {
                    missing = lacks(&ring);
                    let ring = Arc::new(ring);
                    *self.ring.write().unwrap_or_else(PoisonError::into_inner) = ring;
                }
                Err(error) => tracing::warn!(%error, "couldn't read the key ring again"),
            }
        }
        let lacks_more = !missing.is_empty() && missing != reading.missing;
        reading.missing = missing;
        lacks_more
    }

    pub(super) fn keys(&self) -> Arc<Keys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn key_ring(&self) -> Arc<KeyRing> {
        Arc::clone(&self.ring.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The current state of a key. An ID always means the same key, so a decrypted key stays usable even if it's retired:
/// data that this process read before may still need it.
fn known(found: &Versioned<DataKey>, before: &Keys, ring: &KeyRing) -> Known {
    let row = &found.row;
    let open = before.find(row.id);
    let open = open.and_then(|known| known.opened.as_ref().ok());
    let since = row.authenticates_rows_since;
    let opened = match open {
        Some(open) if open.rows_since == since => Ok(open.clone()),
        // The row's new content needs proof. Until then, the earlier proof counts.
        _ => unwrap(ring, row)
            .and_then(|bytes| Opened::new(&bytes, since))
            .or_else(|error| open.cloned().ok_or(error)),
    };
    Known {
        id: row.id,
        version: found.version,
        state: row.state,
        opened,
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault")
            .field("active", &self.active())
            .finish_non_exhaustive()
    }
}

fn violated(place: &impl Place) -> Error {
    let table = place.data().table;
    Error::new(
        ErrorKind::IntegrityViolated,
        format!(
            "a stored secret ({table}) was changed from outside Stead, so it can't be decrypted"
        ),
    )
}
