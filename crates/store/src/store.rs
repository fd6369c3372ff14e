//! Implements the port for any engine.

use std::fmt;

use jiff::Timestamp;
use stead_core::{
    Result,
    ports::BoxFuture,
    store::{Batch, Commit, Found, Index, Key, List, Row, Store, Table, Value, Versioned},
};

use crate::{
    engine::{Engine, Read, Statement},
    statement,
};

/// A store in a database.
pub struct SqlStore<E> {
    pub(crate) engine: E,
}

impl<E> fmt::Debug for SqlStore<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqlStore").finish_non_exhaustive()
    }
}

impl<E: Engine> SqlStore<E> {
    async fn rows(&self, table: &'static Table, query: Statement) -> Result<Vec<Versioned<Row>>> {
        let rows = self.engine.fetch(query).await?;
        Ok(rows.into_iter().map(|read| row(table, read)).collect())
    }
}

/// A row as it was read. If the body isn't a text, or the version isn't valid, someone has changed the row from
/// outside. Core detects that by the empty values here.
fn row(table: &'static Table, read: Read) -> Versioned<Row> {
    let Read {
        mut fields,
        read_at,
    } = read;
    let body = match fields.pop().flatten() {
        Some(Value::Text(body)) => body,
        _ => String::new(),
    };
    let version = match fields.pop().flatten() {
        Some(Value::Integer(version)) => u64::try_from(version).unwrap_or_default(),
        _ => 0,
    };
    let unreadable = || Value::Text(String::new());
    let values = fields
        .into_iter()
        .map(|value| value.unwrap_or_else(unreadable));
    Versioned {
        row: Row::new(table, values.collect(), body),
        version,
        read_at,
    }
}

impl<E: Engine> Store for SqlStore<E> {
    fn get<'a>(&'a self, key: &'a Key) -> Found<'a> {
        self.find(key.table, key.table.key, &key.values)
    }

    fn find<'a>(&'a self, table: &'static Table, index: Index, values: &'a [Value]) -> Found<'a> {
        Box::pin(async move {
            let query = statement::find(table, index, values);
            Ok(self.rows(table, query).await?.pop())
        })
    }

    fn list<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<Vec<Versioned<Row>>>> {
        Box::pin(self.rows(list.table, statement::list(list)))
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        Box::pin(async move {
            match statement::steps(batch, E::LOCKS_ROWS) {
                Some(transaction) if transaction.steps.is_empty() => Ok(Commit::Committed),
                Some(transaction) => self.engine.commit(transaction).await,
                None => Ok(Commit::Conflict),
            }
        })
    }

    fn prune<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<u64>> {
        Box::pin(self.engine.delete(statement::prune(list, E::LOCKS_ROWS)))
    }

    fn now(&self) -> BoxFuture<'_, Result<Timestamp>> {
        Box::pin(self.engine.now())
    }

    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.engine.ready())
    }

    fn is_shared(&self) -> bool {
        E::IS_SHARED
    }

    fn restored_at(&self) -> BoxFuture<'_, Result<Option<Timestamp>>> {
        Box::pin(async { Ok(self.engine.restored_at()) })
    }
}
