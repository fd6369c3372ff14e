//! Rows that decide about access end with a MAC, so no one can write them without the key.
//!
//! The MAC is the last member of the stored body, `mac`. The rest of core never sees it, because it's added on commit,
//! and checked and removed on read. It has the format of a secret that its data key encrypted. Therefore, its rows are
//! counted and re-encrypted together with those of secrets.

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use jiff::Timestamp;

use super::{Records, is_authenticated};
use crate::{
    Result,
    identifier::DataKeyId,
    ports::BoxFuture,
    store::{
        Batch, Commit, Row, Store, Versioned, Write,
        record::{shown, violated},
    },
};

/// The text before a MAC at the end of a body, and the text after it.
const BEFORE: &str = ",\"mac\":\"";
const BEHIND: &str = "\"}";
/// Size of a MAC in bytes: format, ID of the data key, and HMAC-SHA256.
const BYTES: usize = 1 + 16 + 32;
/// The same size in base64.
const CHARACTERS: usize = BYTES.div_ceil(3) * 4;
/// Number of rejected rows to remember, so that each is logged only once.
const REPORTED: usize = 1_000;

/// A data key with the version of its row.
pub(crate) type KeyVersion = (DataKeyId, u64);

/// Computes and verifies MACs.
pub(crate) trait RowKeys: Send + Sync {
    /// The MAC of a message under the active data key, and that key with its version.
    fn mac(&self, message: &[u8]) -> Result<(Vec<u8>, KeyVersion)>;

    /// Whether this is the MAC of a message. `None` if its key is unknown.
    fn is_mac_of(&self, mac: &[u8], message: &[u8]) -> Option<bool>;

    /// Since when rows without a MAC are rejected. For some time after an upgrade, they aren't.
    fn rows_since(&self) -> Option<Timestamp>;

    /// Reads the keys again, and returns the active one.
    fn read_again(&self) -> BoxFuture<'_, Result<Option<KeyVersion>>>;
}

/// The keys, and the rows that were rejected.
#[derive(Clone)]
pub(crate) struct Authenticity {
    keys: Arc<dyn RowKeys>,
    reported: Arc<Mutex<BTreeSet<String>>>,
}

impl fmt::Debug for Authenticity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authenticity").finish_non_exhaustive()
    }
}

impl Authenticity {
    pub(super) fn new(keys: Arc<dyn RowKeys>) -> Self {
        Self {
            keys,
            reported: Arc::default(),
        }
    }

    /// Commits a batch with the MACs of its rows. The batch guards the data key of each MAC. If another process has
    /// activated a different key, the MACs are computed again.
    pub(super) async fn commit(&self, store: &dyn Store, batch: Batch) -> Result<Commit> {
        loop {
            let mut signed = batch.clone();
            let mut guards = BTreeSet::new();
            for write in &mut signed.writes {
                if let Write::Insert(row) | Write::Update(row, _) = write
                    && is_authenticated(row.table)
                {
                    guards.insert(self.sign(row)?);
                }
            }
            let is_signed = !guards.is_empty();
            for (key, version) in &guards {
                let guard = ((*key).into(), *version);
                if !signed.guards.contains(&guard) {
                    signed.guards.push(guard);
                }
            }
            let outcome = store.commit(signed).await?;
            if outcome == Commit::Committed || !is_signed {
                return Ok(outcome);
            }
            let active = self.keys.read_again().await?;
            if active.is_none_or(|active| guards.contains(&active)) {
                return Ok(outcome);
            }
        }
    }

    /// Adds the MAC to a row. Returns its key.
    fn sign(&self, row: &mut Row) -> Result<KeyVersion> {
        let (mac, key) = self.keys.mac(&message(row))?;
        row.body.pop();
        row.body.push_str(BEFORE);
        row.body.push_str(&STANDARD.encode(mac));
        row.body.push_str(BEHIND);
        Ok(key)
    }

    /// Removes the MAC of a row, and returns what is wrong with it.
    async fn fault_of(&self, row: &mut Row) -> Result<Option<&'static str>> {
        let Some(mac) = cut_off(row) else {
            return Ok(Some("it has no MAC, so it was written without the key"));
        };
        let message = message(row);
        let mut is_good = self.keys.is_mac_of(&mac, &message);
        if is_good.is_none() {
            self.keys.read_again().await?;
            is_good = self.keys.is_mac_of(&mac, &message);
        }
        Ok(match is_good {
            Some(true) => None,
            Some(false) => Some("its MAC is wrong, so it was changed without the key"),
            None => Some("its MAC was made with a key that this store doesn't have"),
        })
    }

    /// Logs once that a row is rejected.
    fn report(&self, row: &Row, why: &str) {
        let (table, key) = (row.table.name, shown(row));
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if reported.len() < REPORTED && reported.insert(format!("{table}/{key}")) {
            tracing::error!(table, key, "Stead refuses a row: {why}");
        }
    }
}

impl Records {
    /// The row without its MAC, if the MAC is correct or not needed yet.
    pub(crate) async fn authentic(&self, mut found: Versioned<Row>) -> Result<Versioned<Row>> {
        match self.fault_of(&mut found.row).await? {
            Some(why) if self.refuses_rows() => Err(violated(&found.row, why)),
            _ => Ok(found),
        }
    }

    /// Removes the MAC of a row, and returns what is wrong with it.
    pub(crate) async fn fault_of(&self, row: &mut Row) -> Result<Option<&'static str>> {
        if !is_authenticated(row.table) {
            return Ok(None);
        }
        let Some(authenticity) = self.authenticity() else {
            cut_off(row);
            return Ok(None);
        };
        let fault = authenticity.fault_of(row).await?;
        if let Some(why) = fault.filter(|_| self.refuses_rows()) {
            authenticity.report(row, why);
        }
        Ok(fault)
    }

    /// Whether rows without a MAC are rejected.
    fn refuses_rows(&self) -> bool {
        let since = |authenticity: &Authenticity| authenticity.keys.rows_since();
        self.authenticity().and_then(since).is_some()
    }
}

/// The message for a MAC: the table, the key and the body, each with its length in front.
fn message(row: &Row) -> Vec<u8> {
    let key = shown(row);
    let parts = ["stead/v1/row", row.table.name, &key, &row.body];
    let mut message = Vec::with_capacity(row.body.len() + 128);
    for part in parts {
        message.extend_from_slice(&(part.len() as u64).to_be_bytes());
        message.extend_from_slice(part.as_bytes());
    }
    message
}

/// Removes the MAC from a body.
pub(super) fn cut_off(row: &mut Row) -> Option<Vec<u8>> {
    if !is_authenticated(row.table) {
        return None;
    }
    let length = BEFORE.len() + CHARACTERS + BEHIND.len();
    let at = row.body.len().checked_sub(length)?;
    let text = row.body.get(at..)?;
    let text = text.strip_prefix(BEFORE)?.strip_suffix(BEHIND)?;
    let mac = STANDARD.decode(text).ok()?;
    row.body.truncate(at);
    row.body.push('}');
    Some(mac)
}
