//! The store's traits. A store has no rules: it looks rows up, pages through them, and commits batches.
//!
//! Whoever writes a store runs `stead_testkit::store` against it.

mod memory;
mod row;

use jiff::Timestamp;

pub use memory::MemoryStore;
pub use row::*;

use crate::{
    Result,
    identifier::{AccountId, AuthorizationId, ConnectionId, ConnectionName, Identifier, OutboxId},
    ports::BoxFuture,
};

/// Response of a look-up: the row, or nothing.
pub type Found<'a, T> = BoxFuture<'a, Result<Option<Versioned<T>>>>;

/// Keeps rows. Every method fails with [`ErrorKind::StorageUnavailable`](crate::ErrorKind::StorageUnavailable) where
/// the store does not answer, and with [`ErrorKind::IntegrityViolated`](crate::ErrorKind::IntegrityViolated) where a
/// row cannot be read.
pub trait Store: Send + Sync + 'static {
    /// The store's own time.
    fn now(&self) -> BoxFuture<'_, Result<Timestamp>>;

    /// A connection by id.
    fn connection(&self, id: ConnectionId) -> Found<'_, ConnectionRow>;
    /// A connection by name.
    fn connection_named<'a>(&'a self, name: &'a ConnectionName) -> Found<'a, ConnectionRow>;
    /// Connections by name, starting after `after`.
    fn connections<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: u32,
    ) -> BoxFuture<'a, Result<Vec<Versioned<ConnectionRow>>>>;

    /// An account by id.
    fn account(&self, id: AccountId) -> Found<'_, AccountRow>;
    /// The account of a user.
    fn account_of<'a>(
        &'a self,
        connection: ConnectionId,
        identifier: &'a Identifier,
    ) -> Found<'a, AccountRow>;
    /// Accounts by id, starting after `after`: of one connection, or all.
    fn accounts(
        &self,
        connection: Option<ConnectionId>,
        after: Option<AccountId>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<Versioned<AccountRow>>>>;
    /// A credential of an account.
    fn credential(&self, account: AccountId, generation: u64) -> Found<'_, CredentialRow>;
    /// All credentials of an account that are not shredded.
    fn credentials(
        &self,
        account: AccountId,
    ) -> BoxFuture<'_, Result<Vec<Versioned<CredentialRow>>>>;

    /// An authorization by id.
    fn authorization(&self, id: AuthorizationId) -> Found<'_, AuthorizationRow>;
    /// An authorization by its link.
    fn authorization_by_link<'a>(&'a self, link: &'a Digest) -> Found<'a, AuthorizationRow>;
    /// An authorization by its OAuth state.
    fn authorization_by_state<'a>(&'a self, state: &'a Digest) -> Found<'a, AuthorizationRow>;
    /// Authorizations of an account, newest first.
    fn authorizations(
        &self,
        account: AccountId,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<Versioned<AuthorizationRow>>>>;
    /// Authorizations that are neither completed nor ended and whose time was over before `now`.
    fn overdue_authorizations(
        &self,
        now: Timestamp,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<Versioned<AuthorizationRow>>>>;

    /// A client id of the application.
    fn app_credential<'a>(&'a self, client_id: &'a str) -> Found<'a, AppCredentialRow>;
    /// All client ids of the application.
    fn app_credentials(&self) -> BoxFuture<'_, Result<Vec<Versioned<AppCredentialRow>>>>;
    /// A bearer token of the application.
    fn access_token<'a>(&'a self, token: &'a Digest) -> Found<'a, AccessTokenRow>;

    /// All data keys, oldest first.
    fn data_keys(&self) -> BoxFuture<'_, Result<Vec<Versioned<DataKeyRow>>>>;
    /// Executions, newest first, starting after (older than) `after`.
    fn executions(
        &self,
        after: Option<crate::identifier::ExecutionId>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<Versioned<ExecutionRow>>>>;
    /// Events in order of their ids, starting after `after`.
    fn events(
        &self,
        after: Option<crate::identifier::EventId>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<Versioned<EventRow>>>>;
    /// Outbox entries that are due at `now`.
    fn due(&self, now: Timestamp, limit: u32) -> BoxFuture<'_, Result<Vec<Versioned<OutboxRow>>>>;

    /// Commits all of a batch, durably, or nothing of it.
    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>>;

    /// Removes rows that lie before the horizon, whatever their version, and returns how many went. Of each kind at most
    /// `limit` rows go, so that no other write waits long; less than `limit` in all means that none is left.
    /// Each kind is removed by itself: where it fails, rows of other kinds may be gone.
    fn prune(&self, horizon: &Horizon, limit: u32) -> BoxFuture<'_, Result<u64>>;
}

/// From which moment on rows are kept, per kind; what is older may go. Kinds without a moment here are never pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Horizon {
    /// Access tokens go that expired before this.
    pub access_tokens: Timestamp,
    /// Executions go that began before this.
    pub executions: Timestamp,
    /// Events go that happened before this.
    pub events: Timestamp,
    /// Authorizations go that are completed, denied, expired, failed or superseded, with an `expires_at` before this.
    pub authorizations: Timestamp,
    /// Credentials go that are shredded and were inserted before this.
    pub credentials: Timestamp,
}

impl Horizon {
    /// A horizon that keeps every row; set what may go.
    pub const fn keeping_all() -> Self {
        Self {
            access_tokens: Timestamp::MIN,
            executions: Timestamp::MIN,
            events: Timestamp::MIN,
            authorizations: Timestamp::MIN,
            credentials: Timestamp::MIN,
        }
    }
}

/// Whether a batch was committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Commit {
    /// All of it.
    Committed,
    /// Nothing of it: a guard failed, a version differs, or a unique value exists. Load again and decide anew.
    Conflict,
}

/// Guards and writes of one transaction. A batch that writes a row twice is a conflict.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Batch {
    /// Rows that must have the given version, though they are not written.
    pub guards: Vec<(RowKey, u64)>,
    /// Writes, in order.
    pub writes: Vec<Write>,
}

/// One write of a batch.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Write {
    /// Adds a row at version 1; a conflict where its key or another unique value exists.
    Insert(Row),
    /// Replaces a row of this version and raises the version by one; a conflict otherwise.
    Update(Row, u64),
    /// Removes a row of this version; a conflict otherwise.
    Delete(RowKey, u64),
}

impl Write {
    /// Primary key of the row that is written.
    pub fn key(&self) -> RowKey {
        match self {
            Self::Insert(row) | Self::Update(row, _) => row.key(),
            Self::Delete(key, _) => key.clone(),
        }
    }
}

/// Any row.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "a batch holds few rows, and a box would be in every store's way"
)]
pub enum Row {
    /// A connection.
    Connection(ConnectionRow),
    /// An account.
    Account(AccountRow),
    /// A credential.
    Credential(CredentialRow),
    /// An authorization.
    Authorization(AuthorizationRow),
    /// A client id of the application.
    AppCredential(AppCredentialRow),
    /// A bearer token of the application.
    AccessToken(AccessTokenRow),
    /// A data key.
    DataKey(DataKeyRow),
    /// An execution.
    Execution(ExecutionRow),
    /// An event.
    Event(EventRow),
    /// An outbox entry.
    Outbox(OutboxRow),
}

/// Primary key of any row.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RowKey {
    /// A connection.
    Connection(ConnectionId),
    /// An account.
    Account(AccountId),
    /// A credential.
    Credential(AccountId, u64),
    /// An authorization.
    Authorization(AuthorizationId),
    /// A client id of the application.
    AppCredential(String),
    /// A bearer token of the application.
    AccessToken(Digest),
    /// A data key.
    DataKey(crate::identifier::DataKeyId),
    /// An execution.
    Execution(crate::identifier::ExecutionId),
    /// An event.
    Event(crate::identifier::EventId),
    /// An outbox entry.
    Outbox(OutboxId),
}

impl Row {
    /// The row's primary key.
    pub fn key(&self) -> RowKey {
        match self {
            Self::Connection(row) => RowKey::Connection(row.id),
            Self::Account(row) => RowKey::Account(row.id),
            Self::Credential(row) => RowKey::Credential(row.account_id, row.generation),
            Self::Authorization(row) => RowKey::Authorization(row.id),
            Self::AppCredential(row) => RowKey::AppCredential(row.client_id.clone()),
            Self::AccessToken(row) => RowKey::AccessToken(row.token.clone()),
            Self::DataKey(row) => RowKey::DataKey(row.id),
            Self::Execution(row) => RowKey::Execution(row.id),
            Self::Event(row) => RowKey::Event(row.id),
            Self::Outbox(row) => RowKey::Outbox(row.id),
        }
    }
}

macro_rules! into_row {
    ($($variant:ident: $type:ty),+ $(,)?) => { $(
        impl From<$type> for Row {
            fn from(row: $type) -> Self { Self::$variant(row) }
        }
    )+ };
}
into_row!(
    Connection: ConnectionRow,
    Account: AccountRow,
    Credential: CredentialRow,
    Authorization: AuthorizationRow,
    AppCredential: AppCredentialRow,
    AccessToken: AccessTokenRow,
    DataKey: DataKeyRow,
    Execution: ExecutionRow,
    Event: EventRow,
    Outbox: OutboxRow,
);

impl Batch {
    /// An empty batch.
    pub fn new() -> Self {
        Self::default()
    }
    /// Requires a row to have a version.
    #[must_use]
    pub fn guard(mut self, key: RowKey, version: u64) -> Self {
        self.guards.push((key, version));
        self
    }
    /// Adds a row.
    #[must_use]
    pub fn insert(mut self, row: impl Into<Row>) -> Self {
        self.writes.push(Write::Insert(row.into()));
        self
    }
    /// Replaces a row of a version.
    #[must_use]
    pub fn update(mut self, row: impl Into<Row>, version: u64) -> Self {
        self.writes.push(Write::Update(row.into(), version));
        self
    }
    /// Removes a row of a version.
    #[must_use]
    pub fn delete(mut self, key: RowKey, version: u64) -> Self {
        self.writes.push(Write::Delete(key, version));
        self
    }
}
