//! A database at one end of a copy, of any engine.

use jiff::Timestamp;
use stead_core::{
    Error, ErrorKind, Result,
    ports::BoxFuture,
    store::{Commit, Table, Value},
};

use crate::{
    engine::{Engine, Held, StateSql, Statement, Step, Transaction},
    statement,
};

/// The operations that a copy needs from a database.
pub(super) trait End: Send + Sync {
    fn read(&self, query: Statement) -> BoxFuture<'_, Result<Vec<Vec<Option<Value>>>>>;
    fn write(&self, steps: Vec<Step>) -> BoxFuture<'_, Result<Commit>>;
    fn hold(&self) -> BoxFuture<'_, Result<Option<Held>>>;
    fn restored_at(&self) -> Option<Timestamp>;
    fn sql(&self) -> StateSql;
}

impl<E: Engine> End for E {
    fn read(&self, query: Statement) -> BoxFuture<'_, Result<Vec<Vec<Option<Value>>>>> {
        Box::pin(async move {
            let rows = self.fetch(query).await?;
            Ok(rows.into_iter().map(|read| read.fields).collect())
        })
    }
    fn write(&self, steps: Vec<Step>) -> BoxFuture<'_, Result<Commit>> {
        let shreds = false;
        Box::pin(self.commit(Transaction { steps, shreds }))
    }
    fn hold(&self) -> BoxFuture<'_, Result<Option<Held>>> {
        Box::pin(Engine::hold(self))
    }
    fn restored_at(&self) -> Option<Timestamp> {
        Engine::restored_at(self)
    }
    fn sql(&self) -> StateSql {
        E::STATE
    }
}

/// The single value of a query, or `None` if it finds no row.
pub(super) async fn value(
    end: &dyn End,
    sql: impl Into<String>,
    values: Vec<Value>,
) -> Result<Option<Value>> {
    let sql = sql.into();
    let mut rows = end.read(Statement { sql, values }).await?;
    Ok(rows.pop().and_then(|mut row| row.pop()).flatten())
}

/// How many rows, and bytes of bodies, are read and written together. A longer row gets a page of its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageSize {
    pub(super) rows: u32,
    pub(super) bytes: i64,
}

/// A row: the values of its table's columns, its version and its body.
pub(super) type StoredRow = Vec<Value>;

/// Reads a table by key, a page at a time.
pub(super) struct Pages<'a> {
    end: &'a dyn End,
    table: &'static Table,
    size: PageSize,
    after: Option<Vec<Value>>,
}

impl<'a> Pages<'a> {
    /// The rows of a table after this key.
    pub(super) fn new(
        end: &'a dyn End,
        table: &'static Table,
        size: PageSize,
        after: Option<Vec<Value>>,
    ) -> Self {
        Self {
            end,
            table,
            size,
            after,
        }
    }

    /// The next rows, or none at the end.
    pub(super) async fn next(&mut self) -> Result<Vec<StoredRow>> {
        let PageSize { rows, bytes } = self.size;
        let page = statement::page(self.table, self.after.clone(), rows, bytes);
        let mut read = Vec::new();
        for row in self.end.read(page).await? {
            match row.iter().cloned().collect::<Option<StoredRow>>() {
                Some(row) => read.push(row),
                None => return Err(unreadable(self.table, &row)),
            }
        }
        if let Some(last) = read.last() {
            self.after = Some(key(self.table, last).to_vec());
        }
        Ok(read)
    }
}

/// The columns of the key are the first ones.
pub(super) fn key<'a, T>(table: &Table, row: &'a [T]) -> &'a [T] {
    row.get(..table.key.columns.len()).unwrap_or_default()
}

/// Names a row in messages: `account acct_1`.
pub(super) fn named<'a>(table: &Table, key: impl IntoIterator<Item = &'a Value>) -> String {
    let mut name = table.name.to_owned();
    for value in key {
        name.push(' ');
        match value {
            Value::Null => name.push_str("null"),
            Value::Integer(number) => name.push_str(&number.to_string()),
            Value::Text(text) => name.push_str(text),
        }
    }
    name
}

fn unreadable(table: &Table, row: &[Option<Value>]) -> Error {
    let key = key(table, row).iter().flatten();
    refused(format!(
        "the row {} can't be read, because a value in it isn't text or a number",
        named(table, key)
    ))
}

/// The error if one of the two databases can't be used for a copy.
pub(super) fn refused(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidRequest, why)
}
