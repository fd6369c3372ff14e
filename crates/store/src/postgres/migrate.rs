//! The schema and its versions.
//!
//! A released file of `migrations/postgres/` never changes; a new version is a new file at the end of the list. All that
//! are missing are applied in one transaction, which several servers that start together enter one after another.

use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use stead_core::{Error, ErrorKind, Result};

use super::fault::{fault, unavailable};
use crate::{
    fault::Fault,
    schema::{self, check_at_opening},
};

/// The first is version 1.
pub(super) const MIGRATIONS: &[&str] = &[include_str!("../../migrations/postgres/0001_rows.sql")];

/// Who brings the schema up to date holds this lock; others wait for it.
const LOCK: &str = "SELECT pg_advisory_xact_lock(6071503848194105938)";

/// Brings the schema to the last version.
///
/// # Errors
/// [`ErrorKind::StorageUnavailable`] where the database belongs to another program, or to a newer Stead.
pub(super) async fn migrate(
    connection: &mut PgConnection,
    migrations: &'static [&'static str],
) -> Result<()> {
    run(
        connection,
        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
    )
    .await?;
    run(connection, LOCK).await?;
    let present = version(connection).await?;
    check_at_opening(present, migrations.len())?;
    for (migration, number) in migrations.iter().zip(1_usize..).skip(present) {
        run(connection, migration).await?;
        let noted = format!(
            "INSERT INTO \"stead_schema\" (\"version\", \"applied_at\") VALUES ({number}, clock_timestamp())"
        );
        sqlx::raw_sql(AssertSqlSafe(noted))
            .execute(&mut *connection)
            .await
            .map_err(unavailable)?;
    }
    run(connection, "COMMIT").await?;
    if present < migrations.len() {
        tracing::info!(
            from = present,
            to = migrations.len(),
            "the store's schema is up to date"
        );
    }
    Ok(())
}

async fn run(connection: &mut PgConnection, sql: &'static str) -> Result<()> {
    let done = sqlx::raw_sql(sql).execute(connection).await;
    done.map(drop).map_err(unavailable)
}

/// Version of the schema; 0 for an empty database, whose table of versions is then made.
async fn version(connection: &mut PgConnection) -> Result<usize> {
    if is_ours(connection).await?.is_none() {
        let table = "CREATE TABLE \"stead_schema\" (\"version\" BIGINT NOT NULL PRIMARY KEY, \"applied_at\" TIMESTAMPTZ NOT NULL)";
        run(connection, table).await?;
        return Ok(0);
    }
    last_version(connection).await.map_err(Error::from)
}

/// Nothing where the database is empty.
///
/// # Errors
/// Where it has tables and none of them is that of versions.
pub(super) async fn is_ours(connection: &mut PgConnection) -> Result<Option<()>> {
    let tables = "SELECT relname::text FROM pg_catalog.pg_class \
        WHERE relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema()) AND relkind IN ('r', 'p')";
    let tables = sqlx::raw_sql(tables)
        .fetch_all(&mut *connection)
        .await
        .map_err(unavailable)?;
    let is_versions = |row: &sqlx::postgres::PgRow| {
        row.try_get::<String, _>(0)
            .is_ok_and(|name| name == "stead_schema")
    };
    match tables.iter().any(is_versions) {
        true => Ok(Some(())),
        false if tables.is_empty() => Ok(None),
        false => Err(Error::new(
            ErrorKind::StorageUnavailable,
            "the database is that of another program; make one for Stead",
        )),
    }
}

/// The last version in the table of versions.
pub(super) async fn last_version(connection: &mut PgConnection) -> Result<usize, Fault> {
    let last: Option<i64> = sqlx::query("SELECT MAX(\"version\") FROM \"stead_schema\"")
        .persistent(false)
        .fetch_one(connection)
        .await
        .and_then(|row| row.try_get(0))
        .map_err(fault)?;
    schema::version(last)
}
