//! All kinds of rows: their tables, values and lookups.
//!
//! A time in a column is in nanoseconds since 1970-01-01T00:00:00Z; a flag is 1 or 0.

mod account;
mod account_token;
mod app_credential;
mod approval;
mod audit;
mod authentic;
mod call_names;
mod call_totals;
mod calls;
mod credential;
mod data_key;
mod erasure;
mod history;
mod keyed_call;
mod mcp_session;
mod member;
mod old_calls;
mod policy;
mod public_url;
mod quota_share;
mod reencryption;
mod webhook;

use std::sync::Arc;

use jiff::Timestamp;

use account::ACCOUNT;
use account_token::{ACCOUNT_TOKEN, ACCOUNT_TOKENS_BY_END};
use app_credential::{ACCESS_TOKEN, ACCESS_TOKENS_BY_END, APP_CREDENTIAL};
use approval::{APPROVAL, APPROVALS_BY_END};
use audit::AUDIT;
use authentic::{Authenticity, cut_off};
pub(crate) use authentic::{KeyVersion, RowKeys};
use call_names::CALL_NAME;
pub(crate) use call_names::{CallName, KnownNames};
use call_totals::{CALL_TOTAL, HISTORY_SIZE};
use calls::CALL;
pub(crate) use calls::{CALL_BYTES, Place, Search};
use credential::{CREDENTIAL, CREDENTIALS_BY_AGE};
use data_key::DATA_KEY;
use erasure::{ERASURE, SECRET};
pub(crate) use history::Cutoffs;
use history::{EVENT, OUTBOX};
use keyed_call::IDEMPOTENCY;
use mcp_session::{MCP_SESSION, MCP_SESSIONS_BY_END};
use member::{MEMBER, SESSION, SESSIONS_BY_END};
#[cfg(test)]
pub(crate) use old_calls::ExecutionGroup;
use old_calls::{EXECUTION, EXECUTION_LOG};
use policy::POLICY;
use quota_share::{QUOTA_SHARE, QUOTA_SHARES_BY_END};
use reencryption::JOB;
use webhook::{DELIVERIES_BY_AGE, WEBHOOK, WEBHOOK_DELIVERY, WEBHOOK_LANE};

use super::{
    Batch, Column, ColumnKind, Commit, Index, Key, List, Record, Rewritten, Row, Store, StoreClock,
    Table, Value, Versioned, Write,
    record::{read, shown},
};
use crate::{
    ErrorKind, Result,
    digest::Digest,
    domain::{Authorization, AuthorizationState, Connection, Extra},
    identifier::{
        AccountId, AccountTokenId, ApprovalId, AuthorizationId, ConnectionId, ConnectionName,
        DataKeyId, EventId, ExecutionId, McpSessionId, MemberId, OutboxId, WebhookId,
    },
};

/// All tables.
pub static TABLES: &[&Table] = &[
    &CONNECTION,
    &ACCOUNT,
    &CREDENTIAL,
    &AUTHORIZATION,
    &APP_CREDENTIAL,
    &ACCESS_TOKEN,
    &ACCOUNT_TOKEN,
    &MCP_SESSION,
    &DATA_KEY,
    &EXECUTION,
    &EXECUTION_LOG,
    &CALL_NAME,
    &CALL,
    &CALL_TOTAL,
    &HISTORY_SIZE,
    &EVENT,
    &OUTBOX,
    &SECRET,
    &ERASURE,
    &AUDIT,
    &IDEMPOTENCY,
    &WEBHOOK,
    &WEBHOOK_LANE,
    &WEBHOOK_DELIVERY,
    &MEMBER,
    &SESSION,
    &POLICY,
    &APPROVAL,
    &JOB,
    &QUOTA_SHARE,
];

/// Tables whose rows decide about access and about where tokens and events go, and the log of changes to them. Their
/// rows have a MAC. Accounts and their tokens don't, because tokens are encrypted for their account and its user.
pub(crate) static AUTHENTICATED: &[&Table] = &[
    &CONNECTION,
    &AUTHORIZATION,
    &APP_CREDENTIAL,
    &ACCESS_TOKEN,
    &ACCOUNT_TOKEN,
    &MCP_SESSION,
    &AUDIT,
    &WEBHOOK,
    &MEMBER,
    &SESSION,
    &POLICY,
    &APPROVAL,
];

/// Whether rows of a table have a MAC.
pub(super) fn is_authenticated(table: &Table) -> bool {
    AUTHENTICATED.iter().any(|one| **one == *table)
}

/// The platform's lookups and writes over any store. A row of a list that can't be read is logged and skipped. A single
/// row that can't be read is an error.
#[derive(Clone)]
pub(crate) struct Records(Arc<dyn Store>, Option<StoreClock>, Option<Authenticity>);

type Found<T> = Result<Option<Versioned<T>>>;
type Listed<T> = Result<Vec<Versioned<T>>>;

impl Records {
    /// Without a clock and without keys.
    #[cfg(any(test, feature = "simulation"))]
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self(store, None, None)
    }

    /// Every read sets the clock.
    pub(crate) fn timed(store: Arc<dyn Store>, clock: StoreClock) -> Self {
        Self(store, Some(clock), None)
    }

    /// Adds keys that authenticate rows.
    pub(crate) fn authenticated(mut self, keys: Arc<dyn RowKeys>) -> Self {
        self.2 = Some(Authenticity::new(keys));
        self
    }

    pub(super) fn authenticity(&self) -> Option<&Authenticity> {
        self.2.as_ref()
    }

    /// Returns the result of a read, and sets the clock from the store's time in it.
    async fn timing<T>(
        &self,
        reading: impl Future<Output = Result<T>>,
        read_at: impl FnOnce(&T) -> Option<Timestamp>,
    ) -> Result<T> {
        let began = self.1.as_ref().map(StoreClock::own);
        let read = reading.await?;
        if let (Some(clock), Some(began), Some(at)) = (&self.1, began, read_at(&read)) {
            clock.read(began, at);
        }
        Ok(read)
    }

    /// Whether the store can read and write.
    pub(crate) async fn ready(&self) -> Result<()> {
        self.0.ready().await
    }

    /// Whether other processes can use the store.
    pub(crate) fn is_shared(&self) -> bool {
        self.0.is_shared()
    }

    /// When the store was last restored from an older copy, if known.
    pub(crate) async fn restored_at(&self) -> Result<Option<Timestamp>> {
        self.0.restored_at().await
    }

    /// Commits a whole batch durably, or nothing of it.
    pub(crate) async fn commit(&self, batch: Batch) -> Result<Commit> {
        let batch = batch.checked()?;
        match &self.2 {
            Some(authenticity) => authenticity.commit(self.0.as_ref(), batch).await,
            None => self.0.commit(batch).await,
        }
    }

    /// Whether a batch was committed, judging by its rows. Either a row that it inserted is there unchanged, or a row
    /// that it updated is there with the next version. One row is enough, because a batch is committed completely or
    /// not at all. Deletions, and rows that others have changed since, prove nothing.
    pub(crate) async fn holds(&self, batch: &Batch) -> Result<bool> {
        // Events are last in a batch and never overwritten.
        for write in batch.writes.iter().rev() {
            let (row, version) = match write {
                Write::Insert(row) => (row, 1),
                Write::Update(row, version) => (row, version.saturating_add(1)),
                Write::Delete(..) => continue,
            };
            let mut found = self.0.get(&row.key()).await?;
            if let Some(found) = &mut found {
                cut_off(&mut found.row);
            }
            if found.is_some_and(|found| found.version == version && row.is_stored_as(&found.row)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn get<T: Record>(&self, key: impl Into<Key>) -> Found<T> {
        let key = key.into();
        let found = self.timing(self.0.get(&key), time_of).await?;
        self.read(found).await
    }

    async fn find<T: Record>(&self, index: Index, values: &[Value]) -> Found<T> {
        let found = self.0.find(T::TABLE, index, values);
        let found = self.timing(found, time_of).await?;
        self.read(found).await
    }

    async fn read<T: Record>(&self, found: Option<Versioned<Row>>) -> Found<T> {
        match found {
            Some(found) => read(self.authentic(found).await?).map(Some),
            None => Ok(None),
        }
    }

    /// The same for one row of many. If it can't be used, the others still can.
    async fn read_one<T: Record>(&self, found: Versioned<Row>) -> Result<Result<Versioned<T>>> {
        match self.authentic(found).await {
            Err(error) if error.kind() == ErrorKind::StorageUnavailable => Err(error),
            found => Ok(found.and_then(read)),
        }
    }

    /// The requested number of rows, if that many can be read.
    async fn list<T: Record>(&self, mut list: List) -> Listed<T> {
        let mut rows = Vec::new();
        loop {
            let page = self.timing(self.0.list(&list), |page| {
                page.first().map(|one| one.read_at)
            });
            let page = page.await?;
            let full = page.len() == list.limit as usize;
            let last = page.last().map(|found| list.position(&found.row));
            let mut unreadable = 0;
            for found in page {
                let key = shown(&found.row);
                match self.read_one(found).await? {
                    Ok(row) => rows.push(row),
                    Err(error) => {
                        unreadable += 1;
                        let table = T::TABLE.name;
                        tracing::warn!(table, key, kind = %error.kind(), "skipped a row that can't be read");
                    }
                }
            }
            if !full || unreadable == 0 {
                return Ok(rows);
            }
            list = list.after(last).limit(unreadable);
        }
    }
}

fn time_of<T>(found: &Option<Versioned<T>>) -> Option<Timestamp> {
    found.as_ref().map(|found| found.read_at)
}

const fn text(name: &'static str) -> Column {
    let kind = ColumnKind::Text;
    Column { name, kind }
}
const fn optional(name: &'static str) -> Column {
    let kind = ColumnKind::OptionalText;
    Column { name, kind }
}
const fn position(name: &'static str) -> Column {
    let kind = ColumnKind::Position;
    Column { name, kind }
}
const fn integer(name: &'static str) -> Column {
    let kind = ColumnKind::Integer;
    Column { name, kind }
}

const fn small(name: &'static str) -> Column {
    let kind = ColumnKind::Small;
    Column { name, kind }
}

macro_rules! keys {
    ($($id:ty: $table:ident),+ $(,)?) => { $(
        impl From<$id> for Key {
            fn from(id: $id) -> Self { Self::new(&$table, vec![Value::text(id)]) }
        }
    )+ };
}
keys!(
    ConnectionId: CONNECTION,
    AccountId: ACCOUNT,
    AccountTokenId: ACCOUNT_TOKEN,
    McpSessionId: MCP_SESSION,
    AuthorizationId: AUTHORIZATION,
    DataKeyId: DATA_KEY,
    ExecutionId: EXECUTION,
    EventId: EVENT,
    OutboxId: OUTBOX,
    WebhookId: WEBHOOK,
    MemberId: MEMBER,
    ApprovalId: APPROVAL,
);

// ---- connections

static CONNECTION: Table = Table {
    name: "connection",
    columns: &[text("id"), text("name")],
    key: Index::unique(&["id"]),
    indexes: &[CONNECTION_NAME],
    sealed: true,
};
const CONNECTION_NAME: Index = Index::unique(&["name"]);

impl Rewritten for Connection {}
impl Record for Connection {
    const TABLE: &'static Table = &CONNECTION;
    const NESTS: bool = true;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![Value::text(self.id), Value::text(&self.name)]
    }
}

impl Records {
    /// A connection by ID.
    pub(crate) async fn connection(&self, id: ConnectionId) -> Found<Connection> {
        self.get(id).await
    }
    /// A connection by name.
    pub(crate) async fn connection_named(&self, name: &ConnectionName) -> Found<Connection> {
        self.find(CONNECTION_NAME, &[Value::text(name)]).await
    }
    /// Connections by name, after `after`.
    pub(crate) async fn connections(&self, after: Option<&str>, limit: u32) -> Listed<Connection> {
        let list = List::new(&CONNECTION, CONNECTION_NAME).limit(limit);
        self.list(list.after(after.map(|name| vec![Value::text(name)])))
            .await
    }
}

// ---- authorizations

/// `pending` is 1 until the authorization is completed or ended.
static AUTHORIZATION: Table = Table {
    name: "authorization",
    columns: &[
        text("id"),
        text("account_id"),
        text("link"),
        optional("oauth_state"),
        integer("pending"),
        integer("expires_at"),
    ],
    key: Index::unique(&["id"]),
    indexes: &[
        AUTHORIZATION_LINK,
        AUTHORIZATION_STATE,
        AUTHORIZATIONS_OF_ACCOUNT,
        AUTHORIZATIONS_BY_END,
    ],
    sealed: true,
};
const AUTHORIZATION_LINK: Index = Index::unique(&["link"]);
const AUTHORIZATION_STATE: Index = Index::unique(&["oauth_state"]);
const AUTHORIZATIONS_OF_ACCOUNT: Index = Index::of(&["account_id", "id"]);
const AUTHORIZATIONS_BY_END: Index = Index::of(&["pending", "expires_at", "id"]);

impl Rewritten for Authorization {}
impl Record for Authorization {
    const TABLE: &'static Table = &AUTHORIZATION;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        use AuthorizationState::{
            Completed, Created, Denied, Expired, Failed, Redirected, Returned, Superseded,
            Verifying,
        };
        let pending = match self.state {
            Created | Redirected | Returned | Verifying => true,
            Completed | Denied | Expired | Failed | Superseded => false,
        };
        vec![
            Value::text(self.id),
            Value::text(self.account_id),
            Value::text(self.link.as_str()),
            Value::optional(self.oauth_state.as_ref().map(Digest::as_str)),
            Value::flag(pending),
            Value::moment(self.expires_at),
        ]
    }
}

impl Records {
    /// An authorization by ID.
    pub(crate) async fn authorization(&self, id: AuthorizationId) -> Found<Authorization> {
        self.get(id).await
    }
    /// An authorization by its link.
    pub(crate) async fn authorization_by_link(&self, link: &Digest) -> Found<Authorization> {
        self.find(AUTHORIZATION_LINK, &[Value::text(link.as_str())])
            .await
    }
    /// An authorization by its OAuth state.
    pub(crate) async fn authorization_by_state(&self, state: &Digest) -> Found<Authorization> {
        self.find(AUTHORIZATION_STATE, &[Value::text(state.as_str())])
            .await
    }
    /// Authorizations of an account, newest first.
    pub(crate) async fn authorizations(
        &self,
        account: AccountId,
        limit: u32,
    ) -> Listed<Authorization> {
        let list =
            List::new(&AUTHORIZATION, AUTHORIZATIONS_OF_ACCOUNT).prefix([Value::text(account)]);
        self.list(list.descending().limit(limit)).await
    }
    /// Authorizations that are neither completed nor ended, by their expiry, after `after`.
    pub(crate) async fn pending_authorizations(
        &self,
        after: Option<(Timestamp, AuthorizationId)>,
        limit: u32,
    ) -> Listed<Authorization> {
        let list = List::new(&AUTHORIZATION, AUTHORIZATIONS_BY_END).prefix([Value::flag(true)]);
        let after = after.map(|(end, id)| vec![Value::moment(end), Value::text(id)]);
        self.list(list.after(after).limit(limit)).await
    }
    /// Authorizations that are neither completed nor ended, and that expired before `now`.
    pub(crate) async fn overdue_authorizations(
        &self,
        now: Timestamp,
        limit: u32,
    ) -> Listed<Authorization> {
        let list = List::new(&AUTHORIZATION, AUTHORIZATIONS_BY_END).prefix([Value::flag(true)]);
        self.list(list.below(Value::moment(now)).limit(limit)).await
    }
}

// ---- any row

impl Records {
    /// Stored rows of any table with their MACs, by key, after `after`. Also returns where the next ones start.
    pub(crate) async fn rows(
        &self,
        table: &'static Table,
        after: Option<Vec<Value>>,
        limit: u32,
    ) -> Result<(Vec<Versioned<Row>>, Option<Vec<Value>>)> {
        let list = List::new(table, table.key).after(after).limit(limit);
        let rows = self.0.list(&list).await?;
        let is_full = rows.len() == limit as usize;
        let last = rows.last().filter(|_| is_full);
        let next = last.map(|found| list.position(&found.row));
        Ok((rows, next))
    }
    /// The store's own time.
    pub(crate) async fn now(&self) -> Result<Timestamp> {
        self.timing(self.0.now(), |now| Some(*now)).await
    }
}
