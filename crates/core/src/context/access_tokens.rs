//! Recently checked bearer tokens, so that not every request needs the store. Also records when credentials were used.

use std::{
    collections::HashMap,
    fmt, mem,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;
use quick_cache::sync::Cache;

use super::single_flight::SingleFlight;
use crate::{Result, caller::Caller, digest::Digest};

/// Maximum number of tokens. New ones replace those not used recently.
const CAPACITY: usize = 100_000;

/// Cached data about a token.
#[derive(Debug, Clone)]
pub(crate) struct Checked {
    /// The token's caller.
    pub(crate) caller: Caller,
    /// When it expires.
    pub(crate) expires_at: Timestamp,
    /// When it was checked in the store.
    pub(crate) at: Duration,
}

/// When secrets of a credential were last used, by their IDs.
pub(crate) type Used = Vec<(String, Timestamp)>;

/// The cache of tokens.
pub(crate) struct AccessTokens {
    known: Cache<Digest, Checked>,
    /// Running lookups. Callers with the same token share one.
    pub(crate) readings: SingleFlight<(Digest, u64), Result<Caller>>,
    /// Number of revocations. Reads that started before one aren't cached after it.
    epoch: AtomicU64,
    /// Uses that aren't stored yet, by client ID.
    used: Mutex<HashMap<String, Used>>,
}

impl Default for AccessTokens {
    fn default() -> Self {
        Self {
            known: Cache::new(CAPACITY),
            readings: SingleFlight::default(),
            epoch: AtomicU64::new(0),
            used: Mutex::default(),
        }
    }
}

impl fmt::Debug for AccessTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AccessTokens")
            .field(&self.known.len())
            .finish()
    }
}

impl AccessTokens {
    /// The token's caller, if it was checked at this time or later.
    pub(crate) fn caller(&self, token: &Digest, now: Timestamp, since: Duration) -> Option<Caller> {
        let known = self.known.get(token)?;
        let good = known.expires_at > now && known.at >= since;
        good.then_some(known.caller)
    }

    /// The next use reads the token from the store again.
    pub(crate) fn forget_token(&self, token: &Digest) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
        self.drop_token(token);
    }

    /// Drops a token that a read has rejected.
    pub(crate) fn drop_token(&self, token: &Digest) {
        self.known.remove(token);
    }

    /// Read this before you check a token.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Caches a token that was read in this epoch.
    pub(crate) fn keep(&self, token: &Digest, checked: Checked, epoch: u64) {
        self.known.insert(token.clone(), checked);
        if self.epoch() != epoch {
            self.known.remove(token);
        }
    }

    /// Drops the tokens of an application, because they may not be valid any more.
    pub(crate) fn forget(&self, client_id: &str) {
        self.forget_where(|caller| caller.client_id() == Some(client_id));
    }

    /// Drops the tokens of these callers.
    pub(crate) fn forget_where(&self, is_meant: impl Fn(&Caller) -> bool) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
        self.known.retain(|_, checked| !is_meant(&checked.caller));
    }

    /// Records a use of a secret, or of a token created with it.
    pub(crate) fn note_use(&self, client_id: &str, secret_id: &str, at: Timestamp) {
        let mut used = self.used();
        let of_client = used.entry(client_id.to_owned()).or_default();
        match of_client.iter_mut().find(|(id, _)| id == secret_id) {
            Some((_, latest)) => *latest = at.max(*latest),
            None => of_client.push((secret_id.to_owned(), at)),
        }
    }

    /// Takes all recorded uses.
    pub(crate) fn take_used(&self) -> HashMap<String, Used> {
        mem::take(&mut *self.used())
    }

    fn used(&self) -> MutexGuard<'_, HashMap<String, Used>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
