//! SQLite: one file of this machine.

mod backup;
mod fault;
mod file;
mod inspect;
mod migrate;
mod open;
mod state;
mod writer;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use sqlx::{
    AssertSqlSafe, Connection as _, Row as _, Sqlite as Driver, SqliteConnection, SqlitePool,
    TypeInfo as _, ValueRef as _,
    query::Query,
    sqlite::{SqliteArguments, SqliteRow},
};
use stead_core::{
    Error, Result,
    ports::Runtime,
    store::{Commit, Value},
};

pub use self::backup::backup;
pub use self::inspect::{Inspection, inspect};
pub use self::open::SqliteOptions;
use self::{
    fault::unavailable, file::DatabaseFile, migrate::MIGRATIONS, state::State, writer::Writer,
};
use crate::{
    engine::{Engine, Fields, Held, Read, StateSql, Statement, Step, Transaction},
    fault::{Fault, is_unique_violation},
    schema::Versions,
    statement::{self, Placeholders},
    store::SqlStore,
};

/// The shortest time between two truncations of the write-ahead log, two checks of the schema, or two probes.
const ONCE: Duration = Duration::from_secs(1);

/// A store in one SQLite file; see [`SqliteStore::open`].
///
/// Its own time is the machine's, from its runtime. It needs a running tokio runtime.
///
/// Any number of processes on one machine can have the file open. Writes take turns, in this process and between
/// processes. A write that waits longer than [`SqliteOptions::busy_wait`] fails with
/// [`ErrorKind::StorageUnavailable`](stead_core::ErrorKind::StorageUnavailable). Don't use a file on a network share.
///
/// A commit is on the disk when it returns (write-ahead log, `synchronous = FULL`).
///
/// SQLite overwrites deleted and replaced rows (`secure_delete`). After a commit that shreds a credential, the store
/// also empties the write-ahead log, because it has older copies. If there are many such commits within a second, the
/// first empties the log immediately, and the others share the next time. A long read, such as a backup, can delay
/// this. The store then tries again at the next such commit, or when it is opened or closed.
///
/// After a write fails for any reason, a new connection replaces the one that wrote. Writes succeed again as soon as
/// there is space or the lock is free. If the file is deleted or replaced while it is open, the store stops reading and
/// writing.
pub type SqliteStore = SqlStore<Sqlite>;

/// The engine of [`SqliteStore`].
#[derive(Debug, Clone)]
pub struct Sqlite(Arc<Parts>);

struct Parts {
    file: DatabaseFile,
    /// Connections for reads, which never wait for a writer.
    readers: SqlitePool,
    /// The only connection for writes, so that the writes of this process queue in order.
    writer: Writer,
    /// A connection with a short wait, for emptying the write-ahead log.
    sweeper: SqlitePool,
    sweeps: Mutex<Sweeps>,
    /// Allows one probe at a time. Others wait for it and use its outcome.
    probe: futures_util::lock::Mutex<()>,
    /// When the version of the schema was last checked.
    schema_seen: Mutex<Option<Duration>>,
    state: State,
    runtime: Arc<dyn Runtime>,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

/// When the write-ahead log was last emptied, and whether the next time is scheduled.
#[derive(Debug, Default)]
struct Sweeps {
    last: Option<Duration>,
    is_due: bool,
}

impl Engine for Sqlite {
    /// Only one connection writes at a time.
    const LOCKS_ROWS: bool = false;
    const IS_SHARED: bool = false;

    async fn fetch(&self, query: Statement) -> Result<Vec<Read>> {
        self.0.file.check()?;
        let rows = bind(query)
            .fetch_all(&self.0.readers)
            .await
            .map_err(|error| self.not_read(error))?;
        let read_at = self.0.runtime.now();
        rows.iter()
            .map(|row| {
                let fields = fields(row).map_err(unavailable)?;
                Ok(Read { fields, read_at })
            })
            .collect()
    }

    /// Queries the file first, because an unresponsive store can't provide the time either.
    async fn now(&self) -> Result<Timestamp> {
        self.0.file.check()?;
        sqlx::query("SELECT 1 FROM \"stead_schema\"")
            .fetch_all(&self.0.readers)
            .await
            .map_err(|error| self.not_read(error))?;
        Ok(self.0.runtime.now())
    }

    async fn commit(&self, transaction: Transaction) -> Result<Commit> {
        let shreds = transaction.shreds;
        let is_due = self.0.state.is_due(self.0.runtime.monotonic());
        let outcome = self.noted(self.apply(transaction, is_due).await)?;
        if shreds && outcome == Commit::Committed {
            self.sweep_at_most_once_a_second().await;
        }
        Ok(outcome)
    }

    async fn delete(&self, deletion: Statement) -> Result<u64> {
        let outcome = self.change(deletion).await;
        self.noted(outcome)
    }

    async fn ready(&self) -> Result<()> {
        let parts = &self.0;
        let _turn = parts.probe.lock().await;
        parts.file.check()?;
        parts.writer.whole()?;
        match parts.writer.heard(parts.runtime.monotonic(), ONCE) {
            Some(heard) => Ok(heard?),
            // This write only increments the counter.
            None => self.noted(self.apply(Transaction::default(), true).await.map(drop)),
        }
    }

    fn restored_at(&self) -> Option<Timestamp> {
        self.0.state.restored_at
    }

    const STATE: StateSql = StateSql {
        identity: "SELECT \"value\" FROM \"stead_state\" WHERE \"name\" = 'id'",
        last_position: "SELECT COALESCE(MAX(\"seq\"), 0) FROM \"sqlite_sequence\" WHERE \"name\" = 'event'",
        set_last_position: "INSERT OR REPLACE INTO \"sqlite_sequence\" (\"rowid\", \"name\", \"seq\") \
            VALUES ((SELECT \"rowid\" FROM \"sqlite_sequence\" WHERE \"name\" = 'event'), 'event', $1)",
        moment: |at| at.to_string(),
    };

    /// Acquires the right to write, which only one writer has at a time. Readers continue.
    async fn hold(&self) -> Result<Option<Held>> {
        let held = async {
            let mut writer = self.0.writer.take().await?;
            sqlx::query("BEGIN IMMEDIATE").execute(&mut *writer).await?;
            Ok(writer)
        };
        let held = self.noted(held.await)?;
        Ok(Some(Box::new(held)))
    }
}

impl Sqlite {
    async fn close(&self) {
        self.sweep().await;
        self.0.sweeper.close().await;
        self.0.readers.close().await;
        self.0.writer.close().await;
    }

    /// Runs a transaction, and increments the database's counter with it.
    async fn apply(&self, transaction: Transaction, raise: bool) -> Result<Commit, Fault> {
        let parts = &self.0;
        let writes = |step: &Step| !matches!(step, Step::Require { .. });
        let writes = raise || transaction.steps.iter().any(writes);
        parts.file.check()?;
        let mut writer = parts.writer.take().await?;
        // A transaction that starts with a read couldn't write any more once another one has written.
        let mut open = writer.begin_with("BEGIN IMMEDIATE").await?;
        self.check_schema(&mut open).await?;
        for step in transaction.steps {
            if !holds(&mut open, step).await? {
                open.rollback().await?;
                writer.give_back();
                return Ok(Commit::Conflict);
            }
        }
        let counter = match raise {
            true => State::raise(&mut open).await?,
            false => None,
        };
        open.commit().await?;
        writer.give_back();
        let now = parts.runtime.monotonic();
        if writes {
            parts.writer.succeeded(now);
        }
        if let Some(counter) = counter {
            parts.state.mark(counter, now);
        }
        Ok(Commit::Committed)
    }

    /// Runs a single statement.
    async fn change(&self, statement: Statement) -> Result<u64, Fault> {
        self.0.file.check()?;
        let mut writer = self.0.writer.take().await?;
        self.check_schema(&mut writer).await?;
        let done = bind(statement).execute(&mut *writer).await?;
        writer.give_back();
        if done.rows_affected() > 0 {
            self.0.writer.succeeded(self.0.runtime.monotonic());
        }
        Ok(done.rows_affected())
    }

    /// Records a failure, and logs it if it's a new one.
    fn noted<T>(&self, outcome: Result<T, Fault>) -> Result<T> {
        let now = self.0.runtime.monotonic();
        outcome.map_err(|fault| self.0.writer.failed(now, fault).into())
    }

    fn not_read(&self, error: sqlx::Error) -> Error {
        self.0.writer.not_read(error.into()).into()
    }

    /// A newer Stead may upgrade the schema while this one runs. This one must not write in a format that it doesn't
    /// know.
    async fn check_schema(&self, connection: &mut SqliteConnection) -> Result<(), Fault> {
        let now = self.0.runtime.monotonic();
        let is_recent = |seen: &mut Duration| now.saturating_sub(*seen) < ONCE;
        if lock(&self.0.schema_seen).as_mut().is_some_and(is_recent) {
            return Ok(());
        }
        let present = Versions::new(migrate::needed(connection).await?, None)?;
        present.check_while_running(MIGRATIONS.len())?;
        *lock(&self.0.schema_seen) = Some(now);
        Ok(())
    }

    /// Empties the write-ahead log now, or one second after the last time.
    async fn sweep_at_most_once_a_second(&self) {
        let now = self.0.runtime.monotonic();
        let wait = {
            let mut sweeps = lock(&self.0.sweeps);
            if sweeps.is_due {
                return;
            }
            let since = sweeps.last.map(|last| now.saturating_sub(last));
            let wait = since.and_then(|since| ONCE.checked_sub(since));
            match wait.filter(|wait| !wait.is_zero()) {
                Some(wait) => {
                    sweeps.is_due = true;
                    wait
                }
                None => {
                    sweeps.last = Some(now);
                    Duration::ZERO
                }
            }
        };
        if wait.is_zero() {
            return self.sweep().await;
        }
        let (engine, pause) = (self.clone(), self.0.runtime.sleep(wait));
        self.0.runtime.spawn(Box::pin(async move {
            pause.await;
            *lock(&engine.0.sweeps) = Sweeps {
                last: Some(engine.0.runtime.monotonic()),
                is_due: false,
            };
            engine.sweep().await;
        }));
    }

    /// Empties the write-ahead log. If this fails, the next time makes up for it.
    async fn sweep(&self) {
        match sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
            .fetch_one(&self.0.sweeper)
            .await
        {
            Ok(row) if row.try_get::<i64, _>(0).is_ok_and(|busy| busy == 0) => {}
            Ok(_) => tracing::debug!("the write-ahead log is in use and wasn't emptied"),
            Err(error) => tracing::debug!(%error, "couldn't empty the write-ahead log"),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn holds(connection: &mut SqliteConnection, step: Step) -> Result<bool, Fault> {
    match step {
        Step::Require { query, .. } => Ok(bind(query).fetch_optional(connection).await?.is_some()),
        Step::Change(statement) => affects(connection, statement, 1).await,
        Step::Insert(insertion) => {
            let rows = insertion.count();
            let statement = statement::insert(insertion, Placeholders::Unnumbered);
            affects(connection, statement, rows).await
        }
    }
}

/// Runs a change, and returns whether it affected this many rows.
async fn affects(
    connection: &mut SqliteConnection,
    statement: Statement,
    rows: u64,
) -> Result<bool, Fault> {
    match bind(statement).execute(connection).await {
        Ok(done) => Ok(done.rows_affected() == rows),
        Err(error) if is_unique_violation(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// A prepared statement, which its connection keeps for the next time.
fn bind(statement: Statement) -> Query<'static, Driver, SqliteArguments> {
    // The text has only SQL of this crate, and every value is bound.
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

    use stead_core::store::{Batch, List, Store as _, TABLES, Write};
    use stead_testkit::{runtime::ManualClock, store::sample};

    use super::*;

    #[tokio::test]
    async fn every_connection_that_writes_is_durable_and_overwrites() {
        let path = std::env::temp_dir().join(format!("stead-store-{}.db", std::process::id()));
        let store = SqliteStore::open(&path, Arc::new(ManualClock::default()))
            .await
            .unwrap();
        for pool in [store.engine.0.writer.pool(), &store.engine.0.sweeper] {
            // 2 is FULL (SQLite, PRAGMA synchronous).
            for (pragma, expected) in [
                ("journal_mode", "wal"),
                ("synchronous", "2"),
                ("secure_delete", "1"),
                ("foreign_keys", "1"),
                ("fullfsync", "1"),
                ("checkpoint_fullfsync", "1"),
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
            .execute(&store.engine.0.readers)
            .await;
        assert!(refused.is_err(), "a reader does not write");
        store.close().await;
        std::fs::remove_file(path).unwrap();
    }

    /// The write connection simulates a full disk and a read-only one.
    #[tokio::test]
    async fn a_failed_write_says_why_and_the_next_one_uses_a_new_connection() {
        let path = std::env::temp_dir().join(format!("stead-full-{}.db", std::process::id()));
        let clock = ManualClock::default();
        let store = SqliteStore::open(&path, Arc::new(clock.clone()))
            .await
            .unwrap();
        let event = |number| sample::row(sample::table("event"), number);
        let mut number = 0;
        for (pragma, why) in [
            // The file can't get any more pages.
            ("max_page_count = 1", "the disk is full"),
            ("query_only = ON", "its file or folder is read-only"),
        ] {
            let mut connection = store.engine.0.writer.pool().acquire().await.unwrap();
            sqlx::query(AssertSqlSafe(format!("PRAGMA {pragma}")))
                .execute(&mut *connection)
                .await
                .unwrap();
            drop(connection);
            let mut large = event(1000);
            large.body = "x".repeat(100_000);
            let batch = Batch::new().write(Write::Insert(large));
            let error = store.commit(batch).await.unwrap_err();
            let expected = format!("the store doesn't respond: {why}");
            assert_eq!(error.message(), expected, "{pragma}");
            // Readiness reports the failure without another write.
            let error = store.ready().await.unwrap_err();
            assert_eq!(error.message(), expected, "{pragma}");
            for _ in 0..3 {
                number += 1;
                let batch = Batch::new().write(Write::Insert(event(number)));
                assert_eq!(store.commit(batch).await.unwrap(), Commit::Committed);
            }
            store.ready().await.unwrap();
        }
        let list = List::new(sample::table("event"), sample::table("event").key);
        assert_eq!(store.list(&list).await.unwrap().len(), 6);
        store.close().await;
        std::fs::remove_file(path).unwrap();
    }

    #[tokio::test]
    async fn every_lookup_uses_an_index() {
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
                    statements.push(statement::prune(&list.below(Value::Integer(0)), false));
                }
            }
        }
        for mut statement in statements {
            statement.sql.insert_str(0, "EXPLAIN QUERY PLAN ");
            let sql = statement.sql.clone();
            let plan = bind(statement).fetch_all(&store.engine.0.readers).await;
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
