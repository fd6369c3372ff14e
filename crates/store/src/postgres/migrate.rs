//! The schema and its versions.
//!
//! A released file of `migrations/postgres/` never changes. A new version is a new file at the end of the list. All
//! missing versions are applied in one transaction. Servers that start together enter it one after another. An older
//! Stead still opens a database after a version that only expands it.

use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use stead_core::{Error, ErrorKind, Result};

use super::fault::{fault, unavailable};
use crate::{
    fault::Fault,
    schema::{EXPANSIONS, Migration, Versions},
};

/// The first is version 1.
pub(super) const MIGRATIONS: &[Migration] = &[
    Migration::contracts(include_str!("../../migrations/postgres/0001_rows.sql")),
    Migration::expands(include_str!("../../migrations/postgres/0002_leases.sql")),
    Migration::expands(include_str!("../../migrations/postgres/0003_calls.sql")),
];

/// A server holds this lock while it upgrades the schema, and others wait for it.
const LOCK: &str = "SELECT pg_advisory_xact_lock(6071503848194105938)";

/// Upgrades the schema to the latest version.
///
/// # Errors
/// [`ErrorKind::StorageUnavailable`] if the database belongs to another program, or to a newer Stead that has changed
/// something this one needs.
pub(super) async fn migrate(
    connection: &mut PgConnection,
    migrations: &'static [Migration],
) -> Result<()> {
    run(
        connection,
        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
    )
    .await?;
    run(connection, LOCK).await?;
    let present = version(connection).await?;
    present.check_at_opening(migrations.len())?;
    let present = present.last;
    for (migration, number) in migrations.iter().zip(1_usize..).skip(present) {
        run(connection, migration.sql).await?;
        let table = migration.noted_in();
        let noted = format!(
            "INSERT INTO \"{table}\" (\"version\", \"applied_at\") VALUES ({number}, clock_timestamp())"
        );
        run(connection, &noted).await?;
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

async fn run(connection: &mut PgConnection, sql: &str) -> Result<()> {
    let done = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
        .execute(connection)
        .await;
    done.map(drop).map_err(unavailable)
}

/// Versions of the schema, 0 for an empty database. Creates the tables of versions if they're missing.
async fn version(connection: &mut PgConnection) -> Result<Versions> {
    if is_ours(connection).await?.is_none() {
        run(connection, &table_of_versions("stead_schema")).await?;
    }
    run(connection, &table_of_versions(EXPANSIONS)).await?;
    versions(connection).await.map_err(Error::from)
}

fn table_of_versions(name: &str) -> String {
    format!(
        "CREATE TABLE IF NOT EXISTS \"{name}\" (\"version\" BIGINT NOT NULL PRIMARY KEY, \"applied_at\" TIMESTAMPTZ NOT NULL)"
    )
}

/// `None` if the database is empty.
///
/// # Errors
/// If it has tables, but no table of versions.
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
            "the database belongs to another program; create one for Stead",
        )
        .with_retryable(false)),
    }
}

/// The content of the tables of versions. The second one is missing if only an older Stead has opened the database.
pub(super) async fn versions(connection: &mut PgConnection) -> Result<Versions, Fault> {
    let has_expansions: bool = one(
        connection,
        "SELECT to_regclass('\"stead_schema_expansion\"') IS NOT NULL",
    )
    .await?;
    let expansion = match has_expansions {
        true => {
            one(
                connection,
                "SELECT MAX(\"version\") FROM \"stead_schema_expansion\"",
            )
            .await?
        }
        false => None,
    };
    Versions::new(needed(connection).await?, expansion)
}

/// The version that a Stead must know to use the database.
pub(super) async fn needed(connection: &mut PgConnection) -> Result<Option<i64>, Fault> {
    one(connection, "SELECT MAX(\"version\") FROM \"stead_schema\"").await
}

async fn one<T>(connection: &mut PgConnection, sql: &'static str) -> Result<T, Fault>
where
    T: for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
{
    sqlx::query(sql)
        .persistent(false)
        .fetch_one(connection)
        .await
        .and_then(|row| row.try_get(0))
        .map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_that_expand_only_add() {
        crate::schema::tests::expand_as_they_say(MIGRATIONS);
    }
}
