use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt, mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use jiff::Timestamp;

use super::{
    AccessTokenRow, AccountRow, AppCredentialRow, AuthorizationRow, AuthorizationState, Batch,
    Commit, ConnectionRow, CredentialRow, DataKeyRow, Digest, EventRow, ExecutionRow, Found,
    Horizon, OutboxRow, Row, RowKey, Store, Versioned, Write,
};
use crate::{
    Result,
    identifier::{
        AccountId, AuthorizationId, ConnectionId, ConnectionName, EventId, ExecutionId, Identifier,
    },
    ports::{BoxFuture, Runtime},
};

type Rows = BTreeMap<RowKey, (Row, u64)>;

/// A store that ends with the process: for tests, and for trying out.
pub struct MemoryStore {
    rows: Mutex<Rows>,
    runtime: Arc<dyn Runtime>,
}

impl MemoryStore {
    /// An empty store that takes its time from `runtime`.
    pub fn new(runtime: Arc<dyn Runtime>) -> Self {
        Self {
            rows: Mutex::new(BTreeMap::new()),
            runtime,
        }
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        // Nothing panics while the rows are held, so a poisoned lock holds whole rows.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find<'a, T: Clone + Send + 'a>(
        &'a self,
        key: &RowKey,
        pick: fn(&Row) -> Option<&T>,
    ) -> Found<'a, T> {
        let found = self
            .rows()
            .get(key)
            .and_then(|(row, version)| self.versioned(pick(row)?, *version));
        Box::pin(std::future::ready(Ok(found)))
    }

    fn first<'a, T: Clone + Send + 'a>(
        &'a self,
        pick: fn(&Row) -> Option<&T>,
        fits: impl Fn(&T) -> bool,
    ) -> Found<'a, T> {
        let found = self.select(pick, fits).into_iter().next();
        Box::pin(std::future::ready(Ok(found)))
    }

    fn select<T: Clone>(
        &self,
        pick: fn(&Row) -> Option<&T>,
        fits: impl Fn(&T) -> bool,
    ) -> Vec<Versioned<T>> {
        let rows = self.rows();
        rows.values()
            .filter_map(|(row, version)| Some((pick(row)?, *version)))
            .filter(|(row, _)| fits(row))
            .filter_map(|(row, version)| self.versioned(row, version))
            .collect()
    }

    fn versioned<T: Clone>(&self, row: &T, version: u64) -> Option<Versioned<T>> {
        Some(Versioned {
            row: row.clone(),
            version,
            read_at: self.runtime.now(),
        })
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore")
            .field("rows", &self.rows().len())
            .finish_non_exhaustive()
    }
}

macro_rules! pick {
    ($variant:ident) => {
        |row| match row {
            Row::$variant(row) => Some(row),
            _ => None,
        }
    };
}

fn page<T>(mut rows: Vec<Versioned<T>>, limit: u32) -> BoxFuture<'static, Result<Vec<Versioned<T>>>>
where
    T: Send + 'static,
{
    rows.truncate(limit as usize);
    Box::pin(std::future::ready(Ok(rows)))
}

impl Store for MemoryStore {
    fn now(&self) -> BoxFuture<'_, Result<Timestamp>> {
        Box::pin(std::future::ready(Ok(self.runtime.now())))
    }

    fn connection(&self, id: ConnectionId) -> Found<'_, ConnectionRow> {
        self.find(&RowKey::Connection(id), pick!(Connection))
    }
    fn connection_named<'a>(&'a self, name: &'a ConnectionName) -> Found<'a, ConnectionRow> {
        self.first(pick!(Connection), |row| row.name == *name)
    }
    fn connections<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: u32,
    ) -> BoxFuture<'a, Result<Vec<Versioned<ConnectionRow>>>> {
        let mut rows = self.select(pick!(Connection), |row: &ConnectionRow| {
            after.is_none_or(|after| row.name.as_str() > after)
        });
        rows.sort_by(|one, other| one.row.name.cmp(&other.row.name));
        page(rows, limit)
    }

    fn account(&self, id: AccountId) -> Found<'_, AccountRow> {
        self.find(&RowKey::Account(id), pick!(Account))
    }
    fn account_of<'a>(
        &'a self,
        connection: ConnectionId,
        identifier: &'a Identifier,
    ) -> Found<'a, AccountRow> {
        self.first(pick!(Account), |row| {
            row.connection_id == connection && row.identifier == *identifier
        })
    }
    fn accounts(
        &self,
        connection: Option<ConnectionId>,
        after: Option<AccountId>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<Versioned<AccountRow>>>> {
        let fits = |row: &AccountRow| {
            connection.is_none_or(|connection| row.connection_id == connection)
                && after.is_none_or(|after| row.id > after)
        };
        page(self.select(pick!(Account), fits), limit)
    }
    fn credential(&self, account: AccountId, generation: u64) -> Found<'_, CredentialRow> {
        self.find(&RowKey::Credential(account, generation), pick!(Credential))
    }
    fn credentials(
        &self,
        account: AccountId,
    ) -> BoxFuture<'_, Result<Vec<Versioned<CredentialRow>>>> {
        let rows = self.select(pick!(Credential), |row: &CredentialRow| {
            row.account_id == account && row.sealed.is_some()
        });
        page(rows, u32::MAX)
    }

    fn authorization(&self, id: AuthorizationId) -> Found<'_, AuthorizationRow> {
        self.find(&RowKey::Authorization(id), pick!(Authorization))
    }
    fn authorization_by_link<'a>(&'a self, link: &'a Digest) -> Found<'a, AuthorizationRow> {
        self.first(pick!(Authorization), |row| row.link == *link)
    }
    fn authorization_by_state<'a>(&'a self, state: &'a Digest) -> Found<'a, AuthorizationRow> {
        self.first(pick!(Authorization), |row| {
            row.oauth_state.as_ref() == Some(state)
        })
    }
    fn authorizations(
        &self,
        account: AccountId,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<Versioned<AuthorizationRow>>>> {
        let mut rows = self.select(pick!(Authorization), |row: &AuthorizationRow| {
            row.account_id == account
        });
        rows.reverse();
        page(rows, limit)
    }
    fn overdue_authorizations(
        &self,
        now: Timestamp,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<Versioned<AuthorizationRow>>>> {
        let fits = |row: &AuthorizationRow| is_pending(row.state) && row.expires_at < now;
        page(self.select(pick!(Authorization), fits), limit)
    }

    fn app_credential<'a>(&'a self, client_id: &'a str) -> Found<'a, AppCredentialRow> {
        self.find(
            &RowKey::AppCredential(client_id.to_owned()),
            pick!(AppCredential),
        )
    }
    fn app_credentials(&self) -> BoxFuture<'_, Result<Vec<Versioned<AppCredentialRow>>>> {
        page(self.select(pick!(AppCredential), |_| true), u32::MAX)
    }
    fn access_token<'a>(&'a self, token: &'a Digest) -> Found<'a, AccessTokenRow> {
        self.find(&RowKey::AccessToken(token.clone()), pick!(AccessToken))
    }

    fn data_keys(&self) -> BoxFuture<'_, Result<Vec<Versioned<DataKeyRow>>>> {
        page(self.select(pick!(DataKey), |_| true), u32::MAX)
    }
    fn executions(
        &self,
        after: Option<ExecutionId>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<Versioned<ExecutionRow>>>> {
        let mut rows = self.select(pick!(Execution), |row: &ExecutionRow| {
            after.is_none_or(|after| row.id < after)
        });
        rows.reverse();
        page(rows, limit)
    }
    fn events(
        &self,
        after: Option<EventId>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<Versioned<EventRow>>>> {
        page(
            self.select(pick!(Event), |row: &EventRow| {
                after.is_none_or(|after| row.id > after)
            }),
            limit,
        )
    }
    fn due(&self, now: Timestamp, limit: u32) -> BoxFuture<'_, Result<Vec<Versioned<OutboxRow>>>> {
        let mut rows = self.select(pick!(Outbox), |row: &OutboxRow| row.due_at <= now);
        rows.sort_by_key(|entry| entry.row.due_at);
        page(rows, limit)
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        let committed = apply(&mut self.rows(), batch);
        Box::pin(std::future::ready(Ok(committed)))
    }
    fn prune(&self, horizon: &Horizon, limit: u32) -> BoxFuture<'_, Result<u64>> {
        let gone = remove(&mut self.rows(), horizon, limit);
        Box::pin(std::future::ready(Ok(gone)))
    }
}

/// Applies the writes in order; a conflict takes back what was written before it.
fn apply(rows: &mut Rows, batch: Batch) -> Commit {
    let guarded = batch
        .guards
        .iter()
        .all(|(key, version)| version_of(rows, key) == Some(*version));
    let mut written = BTreeSet::new();
    let once = batch.writes.iter().all(|write| written.insert(write.key()));
    if !guarded || !once {
        return Commit::Conflict;
    }
    let mut before = Vec::with_capacity(batch.writes.len());
    for write in batch.writes {
        let (key, next) = match write {
            Write::Insert(row) if version_of(rows, &row.key()).is_none() => {
                (row.key(), Some((row, 1)))
            }
            Write::Update(row, version) if version_of(rows, &row.key()) == Some(version) => {
                (row.key(), Some((row, version + 1)))
            }
            Write::Delete(key, version) if version_of(rows, &key) == Some(version) => (key, None),
            _ => return take_back(rows, before),
        };
        if let Some((row, _)) = &next
            && has_unique_values(row)
            && rows
                .iter()
                .any(|(other_key, (other, _))| *other_key != key && clash(row, other))
        {
            return take_back(rows, before);
        }
        let replaced = match next {
            Some(next) => rows.insert(key.clone(), next),
            None => rows.remove(&key),
        };
        before.push((key, replaced));
    }
    Commit::Committed
}

fn take_back(rows: &mut Rows, before: Vec<(RowKey, Option<(Row, u64)>)>) -> Commit {
    for (key, replaced) in before.into_iter().rev() {
        match replaced {
            Some(replaced) => rows.insert(key, replaced),
            None => rows.remove(&key),
        };
    }
    Commit::Conflict
}

/// Removes what lies before the horizon, at most `limit` rows of a kind; how many went.
fn remove(rows: &mut Rows, horizon: &Horizon, limit: u32) -> u64 {
    let mut gone: HashMap<mem::Discriminant<Row>, u32> = HashMap::new();
    rows.retain(|_, (row, _)| {
        let of_kind = gone.entry(mem::discriminant(&*row)).or_default();
        let goes = *of_kind < limit && lies_before(row, horizon);
        *of_kind += u32::from(goes);
        !goes
    });
    gone.into_values().map(u64::from).sum()
}

fn lies_before(row: &Row, horizon: &Horizon) -> bool {
    match row {
        Row::AccessToken(row) => row.expires_at < horizon.access_tokens,
        Row::Execution(row) => row.started_at < horizon.executions,
        Row::Event(row) => row.at < horizon.events,
        Row::Authorization(row) => {
            !is_pending(row.state) && row.expires_at < horizon.authorizations
        }
        Row::Credential(row) => row.sealed.is_none() && row.created_at < horizon.credentials,
        Row::Connection(_)
        | Row::Account(_)
        | Row::AppCredential(_)
        | Row::DataKey(_)
        | Row::Outbox(_) => false,
    }
}

/// Whether an authorization is neither completed nor ended.
fn is_pending(state: AuthorizationState) -> bool {
    use AuthorizationState::{Created, Exchanged, Opened, Redirected, Returned, Verifying};
    matches!(
        state,
        Created | Opened | Redirected | Returned | Exchanged | Verifying
    )
}

fn version_of(rows: &Rows, key: &RowKey) -> Option<u64> {
    rows.get(key).map(|(_, version)| *version)
}

/// Whether rows of this kind have a unique value beside the primary key. The others need no look at all rows: there is
/// one execution for every call.
fn has_unique_values(row: &Row) -> bool {
    matches!(
        row,
        Row::Connection(_) | Row::Account(_) | Row::Authorization(_)
    )
}

/// Whether two rows share a value that is unique beside the primary key.
fn clash(one: &Row, other: &Row) -> bool {
    match (one, other) {
        (Row::Connection(one), Row::Connection(other)) => one.name == other.name,
        (Row::Account(one), Row::Account(other)) => {
            one.connection_id == other.connection_id && one.identifier == other.identifier
        }
        (Row::Authorization(one), Row::Authorization(other)) => {
            one.link == other.link
                || (one.oauth_state.is_some() && one.oauth_state == other.oauth_state)
        }
        _ => false,
    }
}
