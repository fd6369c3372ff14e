//! SQLite: one file of this machine.

mod fault;
mod migrate;
mod open;

use sqlx::{
    AssertSqlSafe, Row as _, Sqlite as Driver, SqliteConnection, SqlitePool, TypeInfo as _,
    ValueRef as _,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};
use stead_core::{
    Result,
    store::{Commit, Value},
};

use self::fault::{is_unique_violation, unavailable};
pub use self::open::SqliteOptions;
use crate::{
    engine::{Engine, Fields, Statement, Step, Transaction},
    store::SqlStore,
};

/// A store in one SQLite file; see [`SqliteStore::open`].
///
/// Its own time is the machine's, as its runtime gives it. It needs a tokio runtime around it.
///
/// Any number of processes of one machine may have the file open. Writes take turns, in this process and between
/// processes; a write that waits longer than [`SqliteOptions::busy_wait`] fails with
/// [`ErrorKind::StorageUnavailable`](stead_core::ErrorKind::StorageUnavailable). A file on a network share does not serve.
///
/// A commit is on the disk when it returns (write-ahead log, `synchronous = FULL`). What is deleted or replaced is
/// overwritten (`secure_delete`), and a commit that shreds a credential then empties the write-ahead log, where older
/// copies of it lie. A reader in the middle of a long query, such as a backup, delays that until the next such
/// commit, or until the store is opened or closed.
pub type SqliteStore = SqlStore<Sqlite>;

/// The engine of [`SqliteStore`].
#[derive(Debug)]
pub struct Sqlite {
    /// Connections that only read; they never wait for a writer.
    readers: SqlitePool,
    /// The one connection that writes, so that the writes of this process queue in order.
    writer: SqlitePool,
    /// A connection that hardly waits, for emptying the write-ahead log.
    sweeper: SqlitePool,
}

impl Engine for Sqlite {
    async fn fetch(&self, query: Statement) -> Result<Vec<Fields>> {
        let rows = bind(query)
            .fetch_all(&self.readers)
            .await
            .map_err(unavailable)?;
        rows.iter()
            .map(|row| fields(row).map_err(unavailable))
            .collect()
    }

    async fn commit(&self, transaction: Transaction) -> Result<Commit> {
        // A transaction that began by reading could not become the writer once another has written.
        let mut open = self
            .writer
            .begin_with("BEGIN IMMEDIATE")
            .await
            .map_err(unavailable)?;
        for step in transaction.steps {
            if !holds(&mut open, step).await? {
                open.rollback().await.map_err(unavailable)?;
                return Ok(Commit::Conflict);
            }
        }
        open.commit().await.map_err(unavailable)?;
        if transaction.shreds {
            self.sweep().await;
        }
        Ok(Commit::Committed)
    }

    async fn delete(&self, deletion: Statement) -> Result<u64> {
        let done = bind(deletion)
            .execute(&self.writer)
            .await
            .map_err(unavailable)?;
        Ok(done.rows_affected())
    }
}

impl Sqlite {
    /// Empties the write-ahead log. What fails here is made up for by the next one.
    async fn sweep(&self) {
        match sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
            .fetch_one(&self.sweeper)
            .await
        {
            Ok(row) if row.try_get::<i64, _>(0).is_ok_and(|busy| busy == 0) => {}
            Ok(_) => tracing::debug!("the write-ahead log is in use and was not emptied"),
            Err(error) => tracing::debug!(%error, "the write-ahead log was not emptied"),
        }
    }

    async fn close(&self) {
        self.sweeper.close().await;
        self.readers.close().await;
        self.writer.close().await;
    }
}

async fn holds(connection: &mut SqliteConnection, step: Step) -> Result<bool> {
    match step {
        Step::Require(query) => {
            let found = bind(query)
                .fetch_optional(connection)
                .await
                .map_err(unavailable)?;
            Ok(found.is_some())
        }
        Step::Change(statement) => match bind(statement).execute(connection).await {
            Ok(done) => Ok(done.rows_affected() == 1),
            Err(error) if is_unique_violation(&error) => Ok(false),
            Err(error) => Err(unavailable(error)),
        },
    }
}

/// A prepared statement, kept by its connection for the next time.
fn bind(statement: Statement) -> Query<'static, Driver, SqliteArguments> {
    // Only this crate's own words are in the text; every value is bound.
    let query = sqlx::query(AssertSqlSafe(statement.sql));
    statement
        .values
        .into_iter()
        .fold(query, |query, value| match value {
            Value::Null => query.bind(None::<String>),
            Value::Integer(integer) => query.bind(integer),
            Value::Text(text) => query.bind(text),
        })
}

fn fields(row: &SqliteRow) -> sqlx::Result<Fields> {
    (0..row.len())
        .map(|index| {
            let value = row.try_get_raw(index)?;
            if value.is_null() {
                return Ok(Some(Value::Null));
            }
            let read = match value.type_info().name() {
                "TEXT" => row.try_get(index).map(Value::Text).ok(),
                "INTEGER" => row.try_get(index).map(Value::Integer).ok(),
                _ => None,
            };
            Ok(read)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stead_core::store::{List, TABLES};
    use stead_testkit::runtime::ManualClock;

    use super::*;
    use crate::statement;

    #[tokio::test]
    async fn every_connection_that_writes_is_durable_and_overwrites() {
        let path = std::env::temp_dir().join(format!("stead-store-{}.db", std::process::id()));
        let store = SqliteStore::open(&path, Arc::new(ManualClock::default()))
            .await
            .unwrap();
        for pool in [&store.engine.writer, &store.engine.sweeper] {
            // 2 is FULL (SQLite, PRAGMA synchronous).
            for (pragma, expected) in [
                ("journal_mode", "wal"),
                ("synchronous", "2"),
                ("secure_delete", "1"),
                ("foreign_keys", "1"),
            ] {
                let row = sqlx::query(AssertSqlSafe(format!("PRAGMA {pragma}")))
                    .fetch_one(pool)
                    .await
                    .unwrap();
                let value = row
                    .try_get::<String, _>(0)
                    .or_else(|_| row.try_get::<i64, _>(0).map(|value| value.to_string()));
                assert_eq!(value.unwrap(), expected, "{pragma}");
            }
        }
        let refused = sqlx::query("DELETE FROM \"event\"")
            .execute(&store.engine.readers)
            .await;
        assert!(refused.is_err(), "a reader does not write");
        store.close().await;
        std::fs::remove_file(path).unwrap();
    }

    #[tokio::test]
    async fn no_look_up_reads_a_whole_table() {
        let path = std::env::temp_dir().join(format!("stead-look-up-{}.db", std::process::id()));
        let store = SqliteStore::open(&path, Arc::new(ManualClock::default()))
            .await
            .unwrap();
        let mut statements = Vec::new();
        for table in TABLES {
            for index in table.indexes.iter().chain([&table.key]) {
                let first = vec![Value::Integer(0)];
                let values = vec![Value::Integer(0); index.columns.len()];
                if index.unique {
                    statements.push(statement::find(table, *index, &values));
                }
                let list = List::new(table, *index).limit(10);
                statements.push(statement::list(&list.clone().after(Some(values.clone()))));
                statements.push(statement::list(&list.clone().below(Value::Integer(0))));
                if index.columns.len() > 1 {
                    let list = list.prefix(first);
                    let rest = values[1..].to_vec();
                    statements.push(statement::list(&list.clone().descending()));
                    statements.push(statement::list(&list.clone().after(Some(rest))));
                    statements.push(statement::prune(&list.below(Value::Integer(0))));
                }
            }
        }
        for mut statement in statements {
            statement.sql.insert_str(0, "EXPLAIN QUERY PLAN ");
            let sql = statement.sql.clone();
            let plan = bind(statement).fetch_all(&store.engine.readers).await;
            for line in plan.unwrap() {
                // SCAN reads every row, and a temporary tree sorts (SQLite, EXPLAIN QUERY PLAN).
                let line: String = line.get("detail");
                let bad = line.starts_with("SCAN") || line.contains("TEMP B-TREE");
                assert!(!bad, "{line}: {sql}");
            }
        }
        store.close().await;
        std::fs::remove_file(path).unwrap();
    }
}
