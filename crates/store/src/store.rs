//! The store's traits over any engine.

use std::{fmt, sync::Arc};

use jiff::Timestamp;
use stead_core::{
    Result,
    identifier::{
        AccountId, AuthorizationId, ConnectionId, ConnectionName, EventId, ExecutionId, Identifier,
    },
    ports::{BoxFuture, Runtime},
    store::{
        AccessTokenRow, AccountRow, AppCredentialRow, AuthorizationRow, Batch, Commit,
        ConnectionRow, CredentialRow, DataKeyRow, Digest, EventRow, ExecutionRow, Found, Horizon,
        OutboxRow, Store, Versioned,
    },
};

use crate::{
    batch,
    engine::{Engine, Value},
    prune::removals,
    query::{Query, read},
    table::Table,
};

/// Answer of a look-up of several rows.
type Page<'a, T> = BoxFuture<'a, Result<Vec<Versioned<T>>>>;

/// A store in a database.
pub struct SqlStore<E> {
    pub(crate) engine: E,
    pub(crate) runtime: Arc<dyn Runtime>,
}

impl<E> fmt::Debug for SqlStore<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqlStore").finish_non_exhaustive()
    }
}

impl<E: Engine> SqlStore<E> {
    fn many<T: Table>(&self, query: Query<T>) -> Page<'_, T> {
        Box::pin(async move {
            let records = self.engine.fetch(query.into_statement()).await?;
            let read_at = self.runtime.now();
            records
                .into_iter()
                .map(|record| read(record, read_at))
                .collect()
        })
    }

    fn one<T: Table>(&self, query: Query<T>) -> Found<'_, T> {
        Box::pin(async move { Ok(self.many(query).await?.pop()) })
    }
}

impl<E: Engine> Store for SqlStore<E> {
    fn now(&self) -> BoxFuture<'_, Result<Timestamp>> {
        Box::pin(async move {
            // A store that does not answer has no time either.
            self.engine
                .fetch(Query::<DataKeyRow>::all().limit(0).into_statement())
                .await?;
            Ok(self.runtime.now())
        })
    }

    fn connection(&self, id: ConnectionId) -> Found<'_, ConnectionRow> {
        self.one(Query::all().only("\"id\" =", Value::id(id)))
    }
    fn connection_named<'a>(&'a self, name: &'a ConnectionName) -> Found<'a, ConnectionRow> {
        self.one(Query::all().only("\"name\" =", Value::text(name.as_str())))
    }
    fn connections<'a>(&'a self, after: Option<&'a str>, limit: u32) -> Page<'a, ConnectionRow> {
        self.many(
            Query::all()
                .only_if("\"name\" >", after.map(Value::text))
                .order("\"name\"")
                .limit(limit),
        )
    }

    fn account(&self, id: AccountId) -> Found<'_, AccountRow> {
        self.one(Query::all().only("\"id\" =", Value::id(id)))
    }
    fn account_of<'a>(
        &'a self,
        connection: ConnectionId,
        identifier: &'a Identifier,
    ) -> Found<'a, AccountRow> {
        let of_connection = Query::all().only("\"connection_id\" =", Value::id(connection));
        self.one(of_connection.only("\"identifier\" =", Value::text(identifier.as_str())))
    }
    fn accounts(
        &self,
        connection: Option<ConnectionId>,
        after: Option<AccountId>,
        limit: u32,
    ) -> Page<'_, AccountRow> {
        let of_connection = Query::all().only_if("\"connection_id\" =", connection.map(Value::id));
        self.many(
            of_connection
                .only_if("\"id\" >", after.map(Value::id))
                .order("\"id\"")
                .limit(limit),
        )
    }
    fn credential(&self, account: AccountId, generation: u64) -> Found<'_, CredentialRow> {
        let of_account = Query::all().only("\"account_id\" =", Value::id(account));
        self.one(of_account.only("\"generation\" =", Value::count(generation)))
    }
    fn credentials(&self, account: AccountId) -> Page<'_, CredentialRow> {
        let of_account = Query::all().only("\"account_id\" =", Value::id(account));
        self.many(
            of_account
                .only("\"live\" =", Value::flag(true))
                .order("\"generation\""),
        )
    }

    fn authorization(&self, id: AuthorizationId) -> Found<'_, AuthorizationRow> {
        self.one(Query::all().only("\"id\" =", Value::id(id)))
    }
    fn authorization_by_link<'a>(&'a self, link: &'a Digest) -> Found<'a, AuthorizationRow> {
        self.one(Query::all().only("\"link\" =", Value::text(link.as_str())))
    }
    fn authorization_by_state<'a>(&'a self, state: &'a Digest) -> Found<'a, AuthorizationRow> {
        self.one(Query::all().only("\"oauth_state\" =", Value::text(state.as_str())))
    }
    fn authorizations(&self, account: AccountId, limit: u32) -> Page<'_, AuthorizationRow> {
        self.many(
            Query::all()
                .only("\"account_id\" =", Value::id(account))
                .order("\"id\" DESC")
                .limit(limit),
        )
    }
    fn overdue_authorizations(&self, now: Timestamp, limit: u32) -> Page<'_, AuthorizationRow> {
        let pending = Query::all().only("\"pending\" =", Value::flag(true));
        self.many(
            pending
                .only("\"expires_at\" <", Value::moment(now))
                .order("\"expires_at\", \"id\"")
                .limit(limit),
        )
    }

    fn app_credential<'a>(&'a self, client_id: &'a str) -> Found<'a, AppCredentialRow> {
        self.one(Query::all().only("\"client_id\" =", Value::text(client_id)))
    }
    fn app_credentials(&self) -> Page<'_, AppCredentialRow> {
        self.many(Query::all().order("\"client_id\""))
    }
    fn access_token<'a>(&'a self, token: &'a Digest) -> Found<'a, AccessTokenRow> {
        self.one(Query::all().only("\"token\" =", Value::text(token.as_str())))
    }

    fn data_keys(&self) -> Page<'_, DataKeyRow> {
        self.many(Query::all().order("\"id\""))
    }
    fn executions(&self, after: Option<ExecutionId>, limit: u32) -> Page<'_, ExecutionRow> {
        self.many(
            Query::all()
                .only_if("\"id\" <", after.map(Value::id))
                .order("\"id\" DESC")
                .limit(limit),
        )
    }
    fn events(&self, after: Option<EventId>, limit: u32) -> Page<'_, EventRow> {
        self.many(
            Query::all()
                .only_if("\"id\" >", after.map(Value::id))
                .order("\"id\"")
                .limit(limit),
        )
    }
    fn due(&self, now: Timestamp, limit: u32) -> Page<'_, OutboxRow> {
        self.many(
            Query::all()
                .only("\"due_at\" <=", Value::moment(now))
                .order("\"due_at\", \"id\"")
                .limit(limit),
        )
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        Box::pin(async move {
            match batch::steps(&batch)? {
                Some(transaction) if transaction.steps.is_empty() => Ok(Commit::Committed),
                Some(transaction) => self.engine.commit(transaction).await,
                None => Ok(Commit::Conflict),
            }
        })
    }
    fn prune(&self, horizon: &Horizon, limit: u32) -> BoxFuture<'_, Result<u64>> {
        let removals = removals(horizon, limit);
        Box::pin(async move {
            let mut gone = 0;
            for removal in removals {
                gone += self.engine.remove(removal).await?;
            }
            Ok(gone)
        })
    }
}
