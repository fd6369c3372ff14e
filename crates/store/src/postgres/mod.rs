//! PostgreSQL: one database that any number of servers share.

mod fault;
mod migrate;
mod open;
mod origin;
mod text;

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::future::{Either, select};
use jiff::Timestamp;
use sqlx::{
    AssertSqlSafe, Column as _, PgConnection, PgPool, Postgres as Driver, Row as _, TypeInfo as _,
    ValueRef as _,
    postgres::{PgArguments, PgRow},
    query::Query,
};
use stead_core::{
    Result,
    ports::Runtime,
    store::{Commit, Value},
};

pub(crate) use self::open::place_of;
pub use self::open::{PostgresInspection, PostgresOptions, inspect_postgres};
use self::{
    fault::{fault, gave_way, is_lost},
    migrate::{MIGRATIONS, needed},
};
use crate::{
    engine::{Engine, Held, Read, StateSql, Statement, Step, Transaction},
    fault::{Fault, is_unique_violation},
    health::Health,
    schema::Versions,
    statement::{self, Placeholders},
    store::SqlStore,
    taken::Taken,
};

/// The shortest time between two checks of the schema's version, or two probes.
const ONCE: Duration = Duration::from_secs(1);

/// Longest time for one operation, whatever the network does. The server's own limits in [`BEGIN`] are shorter.
const LONGEST: Duration = Duration::from_secs(10);

/// How often a transaction that gives way to others is tried.
const MOST_TRIES: u32 = 5;

/// Starts every transaction. It sets the limits, requires a server that accepts writes (a standby doesn't), and lets
/// each statement see everything that was committed before it. Nothing is left to the settings of a session, because a
/// pooler may give the session to another client. Rows that a batch depends on are locked, so it needs no stricter
/// isolation.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; \
    SET LOCAL statement_timeout = '8s'; SET LOCAL lock_timeout = '5s'; \
    SET LOCAL idle_in_transaction_session_timeout = '15s'";

/// The database's current time in microseconds, not the time when the transaction started.
const CLOCK: &str = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

/// A store in a PostgreSQL database; see [`PostgresStore::open`].
///
/// Any number of processes on any number of machines can have it open. Its time is the database server's. It needs a
/// tokio runtime with I/O enabled.
///
/// Every statement is in a transaction, and nothing is kept in a session: no prepared statement, no setting, no lock.
/// So it works through a pooler that gives each transaction another connection (PgBouncer: `pool_mode = transaction`).
///
/// A connection that fails is closed, and the next call opens a new one, which may lead to another server after a
/// failover. Operations take at most 10 s.
pub type PostgresStore = SqlStore<Postgres>;

/// The engine of [`PostgresStore`].
#[derive(Debug, Clone)]
pub struct Postgres(Arc<Parts>);

struct Parts {
    pool: PgPool,
    /// Connections are opened one at a time.
    connecting: futures_util::lock::Mutex<()>,
    health: Health,
    /// Allows one probe at a time. Others wait for it and use its outcome.
    probe: futures_util::lock::Mutex<()>,
    /// When the version of the schema was last checked.
    schema_seen: Mutex<Option<Duration>>,
    restored_at: Option<Timestamp>,
    runtime: Arc<dyn Runtime>,
}

impl fmt::Debug for Parts {
    /// Doesn't show the pool, because its options contain the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").finish_non_exhaustive()
    }
}

impl Engine for Postgres {
    const LOCKS_ROWS: bool = true;
    const IS_SHARED: bool = true;

    async fn fetch(&self, mut query: Statement) -> Result<Vec<Read>> {
        // The time is read in the same statement as the rows.
        query.sql.insert_str("SELECT ".len(), &format!("{CLOCK}, "));
        let rows = self.in_time(self.rows(query)).await;
        let rows = rows.map_err(|fault| self.0.health.not_read(fault))?;
        rows.iter()
            .map(|row| read(row).map_err(|error| fault(error).into()))
            .collect()
    }

    async fn now(&self) -> Result<Timestamp> {
        let query = Statement {
            sql: String::from("SELECT 1"),
            values: Vec::new(),
        };
        let rows = self.fetch(query).await?;
        let read_at = rows.first().map(|read| read.read_at);
        read_at.ok_or_else(|| Fault::new("the database didn't return its time").into())
    }

    async fn commit(&self, transaction: Transaction) -> Result<Commit> {
        let writes = |step: &Step| !matches!(step, Step::Require { .. });
        let writes = transaction.steps.iter().any(writes);
        let outcome = self.in_time(self.apply(&transaction)).await;
        let outcome = outcome.map_err(|fault| self.noted(fault))?;
        if writes && outcome == Commit::Committed {
            self.0.health.succeeded(self.0.runtime.monotonic());
        }
        Ok(outcome)
    }

    async fn delete(&self, deletion: Statement) -> Result<u64> {
        let gone = self.in_time(self.change(&deletion)).await;
        gone.map_err(|fault| self.noted(fault))
    }

    async fn ready(&self) -> Result<()> {
        let parts = &self.0;
        let _turn = parts.probe.lock().await;
        parts.health.whole()?;
        if let Some(heard) = parts.health.heard(parts.runtime.monotonic(), ONCE) {
            return Ok(heard?);
        }
        // This write only increments a counter.
        let probe = Statement {
            sql: String::from(
                "UPDATE \"stead_state\" SET \"value\" = (\"value\"::bigint + 1)::text WHERE \"name\" = 'counter'",
            ),
            values: Vec::new(),
        };
        let steps = vec![Step::Change(probe)];
        let shreds = false;
        self.commit(Transaction { steps, shreds }).await.map(drop)
    }

    fn restored_at(&self) -> Option<Timestamp> {
        self.0.restored_at
    }

    const STATE: StateSql = StateSql {
        // Without the timeline, which changes when a standby takes over.
        identity: "SELECT regexp_replace(\"value\", '/[^/]*$', '') FROM \"stead_state\" WHERE \"name\" = 'origin'",
        last_position: "SELECT CASE WHEN \"is_called\" THEN \"last_value\" ELSE 0 END FROM \"event_position\"",
        set_last_position: "SELECT setval('\"event_position\"', $1)",
        moment: |at| at.as_microsecond().to_string(),
    };

    /// This process can't block servers on other machines.
    async fn hold(&self) -> Result<Option<Held>> {
        Ok(None)
    }
}

impl Postgres {
    async fn close(&self) {
        self.0.pool.close().await;
    }

    /// Runs work with a time limit. When time is up, the connection in use is closed.
    async fn in_time<T>(&self, work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        let end = self.0.runtime.sleep(LONGEST);
        match select(Box::pin(work), end).await {
            Either::Left((done, _)) => done,
            Either::Right(_) => Err(Fault {
                may_follow: true,
                ..Fault::new("the database didn't respond in time")
            }),
        }
    }

    /// Records a failed write, and logs it if it's a new failure.
    fn noted(&self, fault: Fault) -> stead_core::Error {
        if self.0.pool.is_closed() {
            return fault.into();
        }
        let (now, health) = (self.0.runtime.monotonic(), &self.0.health);
        match fault.may_follow {
            true => health.unreachable(now, fault).into(),
            false => health.failed(now, fault).into(),
        }
    }

    /// A connection with an open transaction.
    ///
    /// Idle connections may have lost their server in the meantime, for example because it restarted. They are closed,
    /// and the next one is used. That's safe, because nothing was sent yet.
    async fn begin(&self) -> Result<Taken<Driver>, Fault> {
        let mut waiting = self.0.pool.size();
        loop {
            let mut connection = self.connection().await.map_err(fault)?;
            match sqlx::raw_sql(BEGIN).execute(&mut *connection).await {
                Ok(_) => return Ok(connection),
                Err(error) if waiting > 0 && is_lost(&error) => waiting -= 1,
                Err(error) => return Err(fault(error)),
            }
        }
    }

    /// An idle connection, or a new one. New ones are opened one at a time, so a database that has just come back isn't
    /// asked by every server for a full pool.
    async fn connection(&self) -> sqlx::Result<Taken<Driver>> {
        if let Some(idle) = Taken::idle(&self.0.pool) {
            return Ok(idle);
        }
        let _turn = self.0.connecting.lock().await;
        Taken::from(&self.0.pool).await
    }

    async fn rows(&self, query: Statement) -> Result<Vec<PgRow>, Fault> {
        let mut open = self.begin().await?;
        let rows = bind(&query).fetch_all(&mut *open).await.map_err(fault)?;
        end(open, "COMMIT").await.map_err(fault)?;
        Ok(rows)
    }

    /// Runs a transaction. If it gave way to another one, nothing was applied, and it runs again.
    async fn apply(&self, transaction: &Transaction) -> Result<Commit, Fault> {
        let mut tries = 1;
        loop {
            let mut open = self.begin().await?;
            self.check_schema(&mut open).await?;
            match holds(&mut open, &transaction.steps).await {
                Ok(true) => {
                    end(open, "COMMIT").await.map_err(fault)?;
                    return Ok(Commit::Committed);
                }
                Ok(false) => {
                    end(open, "ROLLBACK").await.map_err(fault)?;
                    return Ok(Commit::Conflict);
                }
                Err(error) if gave_way(&error) => {
                    end(open, "ROLLBACK").await.map_err(fault)?;
                    if tries >= MOST_TRIES {
                        return Ok(Commit::Conflict);
                    }
                    tries += 1;
                }
                Err(error) => return Err(fault(error)),
            }
        }
    }

    /// Runs a single statement, again if it gave way to another transaction.
    async fn change(&self, statement: &Statement) -> Result<u64, Fault> {
        let mut tries = 1;
        loop {
            let mut open = self.begin().await?;
            self.check_schema(&mut open).await?;
            match bind(statement).execute(&mut *open).await {
                Ok(done) => {
                    end(open, "COMMIT").await.map_err(fault)?;
                    if done.rows_affected() > 0 {
                        self.0.health.succeeded(self.0.runtime.monotonic());
                    }
                    return Ok(done.rows_affected());
                }
                Err(error) if gave_way(&error) && tries < MOST_TRIES => {
                    end(open, "ROLLBACK").await.map_err(fault)?;
                    tries += 1;
                }
                Err(error) => return Err(fault(error)),
            }
        }
    }

    async fn check_schema(&self, connection: &mut PgConnection) -> Result<(), Fault> {
        let now = self.0.runtime.monotonic();
        let seen = || {
            let seen = self.0.schema_seen.lock();
            seen.unwrap_or_else(PoisonError::into_inner)
        };
        if seen().is_some_and(|seen| now.saturating_sub(seen) < ONCE) {
            return Ok(());
        }
        let present = Versions::new(needed(connection).await?, None)?;
        present.check_while_running(MIGRATIONS.len())?;
        *seen() = Some(now);
        Ok(())
    }
}

/// Ends the transaction, and gives its connection back to the pool.
async fn end(mut open: Taken<Driver>, how: &'static str) -> sqlx::Result<()> {
    sqlx::raw_sql(how).execute(&mut *open).await?;
    open.give_back();
    Ok(())
}

/// Runs steps until one doesn't hold, and returns whether all did.
async fn holds(connection: &mut PgConnection, steps: &[Step]) -> sqlx::Result<bool> {
    for step in steps {
        let holds = match step {
            Step::Require { query, is_written } => {
                let mut query = query.clone();
                // Many batches can depend on the same row, such as the active data key, so they share its lock.
                query.sql.push_str(if *is_written {
                    " FOR UPDATE"
                } else {
                    " FOR SHARE"
                });
                bind(&query)
                    .fetch_optional(&mut *connection)
                    .await?
                    .is_some()
            }
            Step::Change(statement) => affects(connection, statement, 1).await?,
            Step::Insert(insertion) => {
                let rows = insertion.count();
                let statement = statement::insert(insertion.clone(), Placeholders::Numbered);
                affects(connection, &statement, rows).await?
            }
        };
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Runs a change, and returns whether it affected this many rows.
async fn affects(
    connection: &mut PgConnection,
    statement: &Statement,
    rows: u64,
) -> sqlx::Result<bool> {
    match bind(statement).execute(connection).await {
        Ok(done) => Ok(done.rows_affected() == rows),
        Err(error) if is_unique_violation(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// A statement without a name, which ends with its transaction.
fn bind(statement: &Statement) -> Query<'static, Driver, PgArguments> {
    // The text has only SQL of this crate, and every value is bound.
    let query = sqlx::query(AssertSqlSafe(statement.sql.clone())).persistent(false);
    statement
        .values
        .iter()
        .fold(query, |query, value| match value {
            Value::Null => query.bind(None::<String>),
            Value::Integer(integer) => query.bind(*integer),
            Value::Text(text) => query.bind(text::stored(text).into_owned()),
        })
}

/// Reads the time in the first column, and the values after it.
fn read(row: &PgRow) -> sqlx::Result<Read> {
    let read_at = Timestamp::from_microsecond(row.try_get(0)?);
    let fields = row.columns().iter().skip(1).map(|column| {
        let index = column.ordinal();
        let value = row.try_get_raw(index)?;
        if value.is_null() {
            return Ok(Some(Value::Null));
        }
        let read = match value.type_info().name() {
            "TEXT" => row.try_get(index).map(text::plain).map(Value::Text).ok(),
            "INT8" => row.try_get(index).map(Value::Integer).ok(),
            "INT4" => row
                .try_get::<i32, _>(index)
                .ok()
                .map(|small| Value::Integer(small.into())),
            _ => None,
        };
        Ok(read)
    });
    Ok(Read {
        fields: fields.collect::<sqlx::Result<_>>()?,
        read_at: read_at.map_err(|error| sqlx::Error::Decode(error.into()))?,
    })
}
