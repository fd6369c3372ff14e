//! What a call needs to know of its account, kept in memory so that the hot path touches no store.

use std::{
    collections::HashMap,
    fmt,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use super::rate_limit::RateLimiter;
use crate::{
    ErrorKind, Result,
    context::{Context, Endpoints, TokenSet},
    domain::{Account, Connection},
    domain::{
        AccountRef,
        readiness::{account_ready, authorization_required, never_authorized},
    },
    identifier::{ConnectionName, Identifier},
    state::AccountState,
};

/// Younger than this, a snapshot is taken as it is.
const FRESH: Duration = Duration::from_secs(5);
/// Younger than this, it still serves while it is read again in the background.
const USABLE: Duration = Duration::from_secs(60);
/// Older than this, it does not serve even while the store is down.
const OUTAGE: Duration = Duration::from_secs(300);
/// Accounts share so many epochs: one that is raised for another costs a second reading.
const EPOCHS: usize = 64;
/// Accounts kept at most; beyond that the map starts over.
const CAPACITY: usize = 100_000;

/// A connection and an account with their current tokens.
pub(crate) struct Snapshot {
    pub(crate) of: AccountRef,
    pub(crate) connection: Arc<Connection>,
    pub(crate) endpoints: Arc<Endpoints>,
    pub(crate) account: Account,
    pub(crate) tokens: Option<TokenSet>,
    pub(crate) rate_limiter: Arc<RateLimiter>,
    loaded_at: Duration,
    revalidating: AtomicBool,
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
}

type ByIdentifier = HashMap<Identifier, Arc<Snapshot>>;

/// Snapshots by connection name and identifier.
pub(crate) struct Snapshots {
    by_connection: RwLock<HashMap<ConnectionName, ByIdentifier>>,
    /// Raised by every forgetting, by account: what was read before one is not kept after it.
    epochs: [AtomicU64; EPOCHS],
}

impl Default for Snapshots {
    fn default() -> Self {
        Self {
            by_connection: RwLock::default(),
            epochs: [const { AtomicU64::new(0) }; EPOCHS],
        }
    }
}

impl Snapshots {
    fn cached(&self, of: &AccountRef) -> Option<Arc<Snapshot>> {
        self.by_connection
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&of.connection)?
            .get(&of.identifier)
            .cloned()
    }

    /// Raised whenever an account of this identifier is forgotten.
    pub(crate) fn epoch(&self, identifier: &Identifier) -> u64 {
        self.epoch_of(identifier).load(Ordering::Acquire)
    }

    fn epoch_of(&self, identifier: &Identifier) -> &AtomicU64 {
        let mut hasher = DefaultHasher::new();
        identifier.hash(&mut hasher);
        &self.epochs[usize::try_from(hasher.finish() % EPOCHS as u64).unwrap_or_default()]
    }

    fn keep(&self, snapshot: &Arc<Snapshot>, epoch: u64) {
        let mut all = self
            .by_connection
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let AccountRef {
            connection,
            identifier,
        } = &snapshot.of;
        if self.epoch(identifier) != epoch {
            return;
        }
        if all.values().map(HashMap::len).sum::<usize>() >= CAPACITY {
            all.clear();
        }
        all.entry(connection.clone())
            .or_default()
            .insert(identifier.clone(), Arc::clone(snapshot));
    }

    /// Forgets the accounts of an identifier: what this process changes acts at once.
    pub(crate) fn forget(&self, identifier: &Identifier) {
        let mut all = self
            .by_connection
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        self.epoch_of(identifier).fetch_add(1, Ordering::AcqRel);
        for accounts in all.values_mut() {
            accounts.remove(identifier);
        }
    }

    /// Forgets all accounts of a connection.
    pub(crate) fn forget_connection(&self, connection: &ConnectionName) {
        let mut all = self
            .by_connection
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        for epoch in &self.epochs {
            epoch.fetch_add(1, Ordering::AcqRel);
        }
        all.remove(connection);
    }
}

impl Context {
    /// The snapshot of an account: cached, or read from the store.
    pub(crate) async fn snapshot(&self, of: &AccountRef) -> Result<Arc<Snapshot>> {
        let Some(cached) = self.snapshots.cached(of) else {
            return self.reload(of).await;
        };
        let age = self.monotonic().saturating_sub(cached.loaded_at);
        if age < FRESH {
            return Ok(cached);
        }
        if age >= USABLE {
            return match self.reload(of).await {
                Err(error) if error.kind() == ErrorKind::StorageUnavailable && age < OUTAGE => {
                    Ok(cached)
                }
                result => result,
            };
        }
        if !cached.revalidating.swap(true, Ordering::AcqRel) {
            let (context, stale) = (self.clone(), Arc::clone(&cached));
            self.runtime.spawn(Box::pin(async move {
                if let Err(error) = context.reload(&stale.of).await {
                    tracing::debug!(kind = %error.kind(), "an account could not be read again");
                    if error.kind() != ErrorKind::StorageUnavailable {
                        context.snapshots.forget(&stale.of.identifier);
                    }
                }
                // Where the reading was not kept, the next call starts another.
                stale.revalidating.store(false, Ordering::Release);
            }));
        }
        Ok(cached)
    }

    /// Reads an account from the store and keeps its snapshot.
    pub(crate) async fn reload(&self, of: &AccountRef) -> Result<Arc<Snapshot>> {
        let epoch = self.snapshots.epoch(&of.identifier);
        let mut connection = self.existing_connection(&of.connection).await?;
        let account = self
            .store
            .account_of(connection.row.id, &of.identifier)
            .await?;
        // The client was changed between the two readings, and the account is authorized for the new one already.
        if account
            .as_ref()
            .is_some_and(|account| account.row.client_epoch > connection.row.client_epoch)
        {
            connection = self.connection_by_id(connection.row.id).await?;
        }
        let Some(account) = account else {
            let product = self.endpoints(&connection.row.product)?.product;
            return Err(never_authorized(product, &connection.row, &of.identifier));
        };
        self.snapshot_of(Arc::new(connection.row), account.row, epoch)
            .await
    }

    /// Makes the snapshot of rows read since `epoch`, and keeps it.
    pub(crate) async fn snapshot_of(
        &self,
        connection: Arc<Connection>,
        account: Account,
        epoch: u64,
    ) -> Result<Arc<Snapshot>> {
        let endpoints = self.endpoints_of(&connection)?;
        let product = endpoints.product;
        let own = product.derived(&connection.settings)?.quota;
        let quota = (endpoints.rate_limited).then_some(own.unwrap_or(product.quota));
        let tokens = if account.state == AccountState::Active {
            self.tokens(&account, account.generation).await?
        } else {
            None
        };
        let snapshot = Arc::new(Snapshot {
            of: AccountRef {
                connection: connection.name.clone(),
                identifier: account.identifier.clone(),
            },
            rate_limiter: self.rate_limiters.of(account.id, quota),
            endpoints,
            connection,
            account,
            tokens,
            loaded_at: self.monotonic(),
            revalidating: AtomicBool::new(false),
        });
        self.snapshots.keep(&snapshot, epoch);
        Ok(snapshot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        accounts, connections,
        resource::ConnectionChange,
        testing::{STABLE, World, always, context, insert_account},
    };

    fn ada() -> AccountRef {
        AccountRef::new("demo", "ada").unwrap()
    }

    #[test]
    fn only_an_active_account_of_a_ready_connection_can_be_called() {
        use AccountState::{
            Active, Disconnected, NeedsReauthorization, PendingAuthorization, PendingVerification,
            Suspended,
        };
        let table = [
            (PendingAuthorization, Some(ErrorKind::AuthorizationRequired)),
            (PendingVerification, Some(ErrorKind::VerificationRequired)),
            (Active, None),
            (NeedsReauthorization, Some(ErrorKind::AuthorizationRequired)),
            (Suspended, Some(ErrorKind::AccountSuspended)),
            (Disconnected, Some(ErrorKind::AuthorizationRequired)),
        ];
        for (state, refusal) in table {
            let world = World::new();
            let context = context(&world, &STABLE, always(200, ""));
            world.run(insert_account(&context, state));
            let kind = || {
                world
                    .run(context.reload(&ada()))
                    .unwrap()
                    .usable()
                    .err()
                    .map(|error| error.kind())
            };
            assert_eq!(kind(), refusal, "{state:?}");
            let off = ConnectionChange {
                disabled: Some(true),
                ..ConnectionChange::default()
            };
            world
                .run(connections::change(&context, "demo", off))
                .unwrap();
            assert_eq!(kind(), Some(ErrorKind::ConnectionNotReady), "{state:?}");
        }
    }

    #[test]
    fn a_snapshot_serves_for_five_seconds_and_is_then_read_again_behind_the_caller() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        world.run(insert_account(&context, AccountState::Active));
        let read = || world.run(context.snapshot(&ada())).unwrap();
        let first = read();
        world.advance(FRESH - Duration::from_millis(1));
        assert!(Arc::ptr_eq(&first, &read()));
        world.advance(Duration::from_millis(1));
        assert!(Arc::ptr_eq(&first, &read()), "this caller does not wait");
        world.run_until_idle();
        let second = read();
        assert!(!Arc::ptr_eq(&first, &second));
        world.advance(USABLE);
        assert!(!Arc::ptr_eq(&second, &read()), "this one does");
    }

    #[test]
    fn what_this_process_changes_acts_at_once() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        world.run(insert_account(&context, AccountState::Active));
        assert!(
            world
                .run(context.snapshot(&ada()))
                .unwrap()
                .usable()
                .is_ok()
        );
        world.run(accounts::suspend(&context, &ada())).unwrap();
        let snapshot = world.run(context.snapshot(&ada())).unwrap();
        assert_eq!(
            snapshot.usable().unwrap_err().kind(),
            ErrorKind::AccountSuspended
        );
    }

    #[test]
    fn a_reading_that_began_before_a_change_is_not_kept() {
        let snapshots = Snapshots::default();
        let before = snapshots.epoch(&ada().identifier);
        snapshots.forget(&ada().identifier);
        assert_ne!(snapshots.epoch(&ada().identifier), before);
        let before = snapshots.epoch(&ada().identifier);
        snapshots.forget_connection(&ada().connection);
        assert_ne!(snapshots.epoch(&ada().identifier), before);
    }

    #[test]
    fn a_user_who_never_came_is_asked_to_authorize() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        world.run(insert_account(&context, AccountState::Active));
        let kind = |connection: &str, user: &str| {
            AccountRef::new(connection, user)
                .and_then(|of| world.run(context.snapshot(&of)))
                .unwrap_err()
                .kind()
        };
        assert_eq!(kind("demo", "grace"), ErrorKind::AuthorizationRequired);
        assert_eq!(kind("other", "ada"), ErrorKind::UnknownConnection);
        assert_eq!(kind("a/b", "ada"), ErrorKind::UnknownConnection);
    }
}
