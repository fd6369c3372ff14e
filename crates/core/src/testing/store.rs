use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
};

use jiff::Timestamp;

use crate::{
    Error, ErrorKind, Result,
    digest::Digest,
    domain::Execution as ExecutionRow,
    identifier::{
        AccountId, AuthorizationId, ConnectionId, ConnectionName, EventId, ExecutionId, Identifier,
    },
    ports::{BoxFuture, Runtime},
    store::{
        AccessTokenRow, AccountRow, AppCredentialRow, AuthorizationRow, Batch, Commit,
        ConnectionRow, CredentialRow, DataKeyRow, EventRow, Horizon, MemoryStore, OutboxRow, Store,
        Versioned,
    },
};

/// A store that can be down, and that lets others go on before it answers where it is slow.
pub(crate) struct Flaky {
    rows: MemoryStore,
    slow: bool,
    down: AtomicBool,
}

impl Flaky {
    pub(crate) fn new(runtime: Arc<dyn Runtime>) -> Arc<Self> {
        Arc::new(Self {
            rows: MemoryStore::new(runtime),
            slow: false,
            down: AtomicBool::new(false),
        })
    }

    pub(crate) fn slow(runtime: Arc<dyn Runtime>) -> Arc<Self> {
        Arc::new(Self {
            rows: MemoryStore::new(runtime),
            slow: true,
            down: AtomicBool::new(false),
        })
    }

    /// Writes fail while the store is down.
    pub(crate) fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::SeqCst);
    }

    /// The rows, without waiting.
    pub(crate) fn rows(&self) -> &MemoryStore {
        &self.rows
    }

    async fn pause(&self) {
        let mut waited = !self.slow;
        poll_fn(|context| {
            if std::mem::replace(&mut waited, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    fn up(&self) -> Result<()> {
        let down = self.down.load(Ordering::SeqCst);
        if down {
            Err(Error::new(
                ErrorKind::StorageUnavailable,
                "the store is down",
            ))
        } else {
            Ok(())
        }
    }
}

macro_rules! delegate {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)+) => { $(
        fn $name<'a>(&'a self $(, $argument: $type)*) -> BoxFuture<'a, Result<$answer>> {
            Box::pin(async move {
                self.pause().await;
                self.rows.$name($($argument),*).await
            })
        }
    )+ };
}

type One<T> = Option<Versioned<T>>;
type Many<T> = Vec<Versioned<T>>;

impl Store for Flaky {
    delegate! {
        now() -> Timestamp;
        connection(id: ConnectionId) -> One<ConnectionRow>;
        connection_named(name: &'a ConnectionName) -> One<ConnectionRow>;
        connections(after: Option<&'a str>, limit: u32) -> Many<ConnectionRow>;
        account(id: AccountId) -> One<AccountRow>;
        account_of(connection: ConnectionId, identifier: &'a Identifier) -> One<AccountRow>;
        accounts(connection: Option<ConnectionId>, after: Option<AccountId>, limit: u32) -> Many<AccountRow>;
        credential(account: AccountId, generation: u64) -> One<CredentialRow>;
        credentials(account: AccountId) -> Many<CredentialRow>;
        authorization(id: AuthorizationId) -> One<AuthorizationRow>;
        authorization_by_link(link: &'a Digest) -> One<AuthorizationRow>;
        authorization_by_state(state: &'a Digest) -> One<AuthorizationRow>;
        authorizations(account: AccountId, limit: u32) -> Many<AuthorizationRow>;
        overdue_authorizations(now: Timestamp, limit: u32) -> Many<AuthorizationRow>;
        app_credential(client_id: &'a str) -> One<AppCredentialRow>;
        app_credentials() -> Many<AppCredentialRow>;
        access_token(token: &'a Digest) -> One<AccessTokenRow>;
        data_keys() -> Many<DataKeyRow>;
        executions(after: Option<ExecutionId>, limit: u32) -> Many<ExecutionRow>;
        events(after: Option<EventId>, limit: u32) -> Many<EventRow>;
        due(now: Timestamp, limit: u32) -> Many<OutboxRow>;
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        Box::pin(async move {
            self.pause().await;
            self.up()?;
            self.rows.commit(batch).await
        })
    }

    fn prune(&self, horizon: &Horizon, limit: u32) -> BoxFuture<'_, Result<u64>> {
        let horizon = *horizon;
        Box::pin(async move {
            self.pause().await;
            self.up()?;
            self.rows.prune(&horizon, limit).await
        })
    }
}
