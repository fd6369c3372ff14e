//! What a call needs to know of its account, kept in memory so that the hot path touches no store.

mod read;

use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher as _},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use quick_cache::sync::Cache;
use secrecy::ExposeSecret as _;

pub(super) use read::PATIENCE;

use super::{
    bulkheads::{Place, Places},
    moment::Moment,
    rate_limit::RateLimiter,
    single_flight::SingleFlight,
};
use crate::{
    Result,
    context::{Context, Endpoints, TokenSet},
    domain::readiness::{account_ready, authorization_required},
    domain::{Account, AccountRef, Connection},
    identifier::{ConnectionName, Identifier},
    scrub::Secrets,
};

/// Accounts kept at most: those that were not called lately make room.
const CAPACITY: usize = 100_000;
/// A snapshot that no call asked for in so long is forgotten, and with it the account's tokens in the clear.
const UNUSED: Duration = Duration::from_secs(300);
/// Accounts share so many epochs: one that is raised for another costs a second reading.
const EPOCHS: usize = 16_384;
/// The same for connections.
const CONNECTION_EPOCHS: usize = 256;

/// A connection and an account with their current tokens.
pub(crate) struct Snapshot {
    pub(crate) of: AccountRef,
    pub(crate) connection: Arc<Connection>,
    pub(crate) endpoints: Arc<Endpoints>,
    pub(crate) account: Account,
    pub(crate) tokens: Option<TokenSet>,
    pub(crate) rate_limiter: Arc<RateLimiter>,
    /// Of the connection's calls.
    pub(crate) places: Places,
    slots: Slots,
    epoch: u64,
    /// When the reading began.
    read_at: Duration,
    /// When a call asked for it.
    used_at: Moment,
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("account", &self.account.id)
            .finish_non_exhaustive()
    }
}

impl Snapshot {
    /// The tokens of an account that may be called now.
    pub(crate) fn usable(&self) -> Result<&TokenSet> {
        let product = self.endpoints.product;
        account_ready(product, &self.connection, &self.account)?;
        let tokens = self.tokens.as_ref();
        // What is sent where is decided here: tokens and endpoints belong to the same client.
        let tokens = tokens.filter(|tokens| tokens.client_epoch() == self.connection.client_epoch);
        tokens.ok_or_else(|| {
            let why = "has no credential";
            authorization_required(product, &self.connection, &self.account, why)
        })
    }

    /// What a product that repeats a request could show.
    pub(crate) fn secrets(&self) -> Secrets {
        let mut secrets = Secrets::default();
        if let Some(tokens) = &self.tokens {
            let refresh = tokens.refresh_token();
            for token in [tokens.access_token()].into_iter().chain(refresh) {
                secrets.add(token.expose_secret());
            }
        }
        secrets
    }

    /// Lets a call begin.
    pub(crate) fn enter(&self, context: &Context) -> Result<Place> {
        let account = &self.rate_limiter.places;
        let (now, caller) = (context.monotonic(), &context.caller);
        self.places.enter(now, caller, account)
    }

    fn age(&self, now: Duration) -> Duration {
        now.saturating_sub(self.read_at)
    }

    fn is_in_use(&self, now: Duration) -> bool {
        now.saturating_sub(self.used_at.get()) < UNUSED
    }
}

/// Where the epochs of an account are.
#[derive(Debug, Clone, Copy)]
struct Slots {
    account: usize,
    connection: usize,
}

impl Slots {
    fn of(account: &AccountRef) -> Self {
        Self {
            account: slot(EPOCHS, &account.identifier),
            connection: slot(CONNECTION_EPOCHS, &account.connection),
        }
    }
}

/// Snapshots of the accounts that were called lately.
pub(crate) struct Snapshots {
    cache: Cache<AccountRef, Arc<Snapshot>>,
    /// Readings that run now, by account and epoch: callers who want the same wait for one.
    readings: SingleFlight<(AccountRef, u64), Result<Arc<Snapshot>>>,
    /// Raised by every forgetting, by account and by connection: what was read before one does not serve after it.
    epochs: Vec<AtomicU64>,
    connection_epochs: Vec<AtomicU64>,
}

impl Default for Snapshots {
    fn default() -> Self {
        Self::with_capacity(CAPACITY)
    }
}

impl Snapshots {
    fn with_capacity(capacity: usize) -> Self {
        let zeros = |count| (0..count).map(|_| AtomicU64::new(0)).collect();
        Self {
            cache: Cache::new(capacity),
            readings: SingleFlight::default(),
            epochs: zeros(EPOCHS),
            connection_epochs: zeros(CONNECTION_EPOCHS),
        }
    }

    fn cached(&self, of: &AccountRef, now: Duration) -> Option<Arc<Snapshot>> {
        let cached = self.cache.get(of)?;
        if !self.is_current(&cached) {
            return None;
        }
        cached.used_at.set(now);
        Some(cached)
    }

    /// Whether nothing was forgotten since it was read.
    fn is_current(&self, snapshot: &Snapshot) -> bool {
        snapshot.epoch == self.epoch(snapshot.slots)
    }

    /// Raised whenever an account of these slots is forgotten.
    fn epoch(&self, slots: Slots) -> u64 {
        let account = &self.epochs[slots.account];
        let connection = &self.connection_epochs[slots.connection];
        account.load(Ordering::Acquire) + connection.load(Ordering::Acquire)
    }

    fn keep(&self, snapshot: &Arc<Snapshot>) {
        if self.is_current(snapshot) {
            self.cache.insert(snapshot.of.clone(), Arc::clone(snapshot));
        }
    }

    /// Forgets the accounts of an identifier: what this process changes acts at once.
    pub(crate) fn forget(&self, identifier: &Identifier) {
        self.epochs[slot(EPOCHS, identifier)].fetch_add(1, Ordering::AcqRel);
    }

    /// Forgets all accounts of a connection.
    pub(crate) fn forget_connection(&self, connection: &ConnectionName) {
        let slot = slot(CONNECTION_EPOCHS, connection);
        self.connection_epochs[slot].fetch_add(1, Ordering::AcqRel);
    }

    /// Forgets all accounts.
    pub(super) fn forget_all(&self) {
        for epoch in &self.connection_epochs {
            epoch.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Drops what was forgotten, and what no call has asked for lately.
    pub(crate) fn sweep(&self, now: Duration) {
        self.cache
            .retain(|_, snapshot| snapshot.is_in_use(now) && self.is_current(snapshot));
    }
}

/// Which of so many epochs a key has, with others.
fn slot(epochs: usize, key: &impl Hash) -> usize {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    usize::try_from(hasher.finish() % epochs as u64).unwrap_or_default()
}

#[cfg(test)]
mod tests;
