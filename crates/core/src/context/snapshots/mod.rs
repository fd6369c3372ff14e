//! In-memory data about accounts for calls, so that most calls don't need the store.

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

/// Maximum number of accounts. New ones replace those not called recently.
const CAPACITY: usize = 100_000;
/// A snapshot that no call used for this long is dropped, together with the account's decrypted tokens.
const UNUSED: Duration = Duration::from_secs(300);
/// Number of epochs that accounts share. If another account increases a shared one, the only cost is another read.
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
    /// Limits on the connection's calls.
    pub(crate) places: Places,
    slots: Slots,
    epoch: u64,
    /// When the read started.
    read_at: Duration,
    /// When a call last used it.
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
    /// The tokens of an account, if it can be called now.
    pub(crate) fn usable(&self) -> Result<&TokenSet> {
        let product = self.endpoints.product;
        account_ready(product, &self.connection, &self.account)?;
        let tokens = self.tokens.as_ref();
        // Tokens and endpoints have to belong to the same client. This check decides which tokens are sent where.
        let tokens = tokens.filter(|tokens| tokens.client_epoch() == self.connection.client_epoch);
        tokens.ok_or_else(|| {
            let why = "has no credential";
            authorization_required(product, &self.connection, &self.account, why)
        })
    }

    /// Secrets that a product could reveal if it echoes a request.
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

    /// Admits a call.
    pub(crate) fn enter(&self, context: &Context) -> Result<Place> {
        let account = &self.rate_limiter.places;
        let (now, caller) = (context.host.monotonic(), &context.caller);
        self.places.enter(now, caller, account)
    }

    fn age(&self, now: Duration) -> Duration {
        now.saturating_sub(self.read_at)
    }

    fn is_in_use(&self, now: Duration) -> bool {
        now.saturating_sub(self.used_at.get()) < UNUSED
    }
}

/// Slots of an account's epochs.
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

/// Snapshots of recently called accounts.
pub(crate) struct Snapshots {
    cache: Cache<AccountRef, Arc<Snapshot>>,
    /// Running reads, by account and epoch. Callers that need the same one share it.
    readings: SingleFlight<(AccountRef, u64), Result<Arc<Snapshot>>>,
    /// Epochs by account and by connection. Dropping a snapshot increases one, so earlier reads aren't used after it.
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

    /// Whether nothing in its slots was dropped since it was read.
    fn is_current(&self, snapshot: &Snapshot) -> bool {
        snapshot.epoch == self.epoch(snapshot.slots)
    }

    /// Increases when an account of these slots is dropped.
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

    /// Drops the accounts of an identifier, so that a change by this process takes effect immediately.
    pub(crate) fn forget(&self, identifier: &Identifier) {
        self.epochs[slot(EPOCHS, identifier)].fetch_add(1, Ordering::AcqRel);
    }

    /// Drops all accounts of a connection.
    pub(crate) fn forget_connection(&self, connection: &ConnectionName) {
        let slot = slot(CONNECTION_EPOCHS, connection);
        self.connection_epochs[slot].fetch_add(1, Ordering::AcqRel);
    }

    /// Drops all accounts.
    pub(super) fn forget_all(&self) {
        for epoch in &self.connection_epochs {
            epoch.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Removes dropped snapshots, and those that no call used recently.
    pub(crate) fn sweep(&self, now: Duration) {
        self.cache
            .retain(|_, snapshot| snapshot.is_in_use(now) && self.is_current(snapshot));
    }
}

/// Slot of a key, which it shares with other keys.
fn slot(epochs: usize, key: &impl Hash) -> usize {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    usize::try_from(hasher.finish() % epochs as u64).unwrap_or_default()
}

#[cfg(test)]
mod tests;
