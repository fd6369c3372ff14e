//! Bearer tokens that were good a moment ago, so that not every request asks the store; and when credentials were used.

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

/// Tokens kept at most: those that were not used lately make room.
const CAPACITY: usize = 100_000;

/// What is known of a token.
#[derive(Debug, Clone)]
pub(crate) struct Checked {
    /// Whose it is.
    pub(crate) caller: Caller,
    /// When it ends.
    pub(crate) expires_at: Timestamp,
    /// When the store said so.
    pub(crate) at: Duration,
}

/// When secrets of a credential were last used, by their ids.
pub(crate) type Used = Vec<(String, Timestamp)>;

/// The tokens.
pub(crate) struct AccessTokens {
    known: Cache<Digest, Checked>,
    /// Tokens that are looked up now: callers with the same one wait for one reading.
    pub(crate) readings: SingleFlight<(Digest, u64), Result<Caller>>,
    /// Counts revocations, so that what was read before one is not kept after it.
    epoch: AtomicU64,
    /// By client id; what is not written down yet.
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
    /// Whose token it is, where it was checked at this moment or later.
    pub(crate) fn caller(&self, token: &Digest, now: Timestamp, since: Duration) -> Option<Caller> {
        let known = self.known.get(token)?;
        let good = known.expires_at > now && known.at >= since;
        good.then_some(known.caller)
    }

    /// Asks the store again at the next use.
    pub(crate) fn forget_token(&self, token: &Digest) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
        self.drop_token(token);
    }

    /// Drops one that a reading has refused.
    pub(crate) fn drop_token(&self, token: &Digest) {
        self.known.remove(token);
    }

    /// To be read before a token is checked.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Keeps what was read in this epoch.
    pub(crate) fn keep(&self, token: &Digest, checked: Checked, epoch: u64) {
        self.known.insert(token.clone(), checked);
        if self.epoch() != epoch {
            self.known.remove(token);
        }
    }

    /// Forgets the tokens of an application, which may not be good any more.
    pub(crate) fn forget(&self, client_id: &str) {
        self.forget_where(|caller| caller.client_id() == Some(client_id));
    }

    /// Forgets the tokens of some callers.
    pub(crate) fn forget_where(&self, is_meant: impl Fn(&Caller) -> bool) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
        self.known.retain(|_, checked| !is_meant(&checked.caller));
    }

    /// Notes that a secret was used, or a token made with it.
    pub(crate) fn note_use(&self, client_id: &str, secret_id: &str, at: Timestamp) {
        let mut used = self.used();
        let of_client = used.entry(client_id.to_owned()).or_default();
        match of_client.iter_mut().find(|(id, _)| id == secret_id) {
            Some((_, latest)) => *latest = at.max(*latest),
            None => of_client.push((secret_id.to_owned(), at)),
        }
    }

    /// What was noted and not taken yet.
    pub(crate) fn take_used(&self) -> HashMap<String, Used> {
        mem::take(&mut *self.used())
    }

    fn used(&self) -> MutexGuard<'_, HashMap<String, Used>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
