//! The schema and its versions.
//!
//! A released file of `migrations/` never changes; a new version is a new file at the end of the list. All that are
//! missing are applied in one transaction, which several processes that start together enter one after another.
//! sqlx's own migrator does not hold the others off on SQLite, and so is not used.

use jiff::Timestamp;
use sqlx::{Connection as _, Row as _, SqliteConnection};
use stead_core::{Error, ErrorKind, Result};

use super::fault::unavailable;
use crate::{
    fault::Fault,
    schema::{self, check_at_opening},
};

/// The first is version 1.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_rows.sql"),
    include_str!("../../migrations/0002_history.sql"),
    include_str!("../../migrations/0003_event_positions.sql"),
    include_str!("../../migrations/0004_erasures.sql"),
    include_str!("../../migrations/0005_account_tokens.sql"),
    include_str!("../../migrations/0006_audit.sql"),
    include_str!("../../migrations/0007_idempotency.sql"),
    include_str!("../../migrations/0008_webhooks.sql"),
    include_str!("../../migrations/0009_members.sql"),
    include_str!("../../migrations/0010_mcp_sessions.sql"),
    include_str!("../../migrations/0011_policies.sql"),
    include_str!("../../migrations/0012_account_state.sql"),
];

/// Brings the schema to the last version.
///
/// # Errors
/// [`ErrorKind::StorageUnavailable`] where the file belongs to another program, or to a newer Stead.
pub(super) async fn migrate(
    connection: &mut SqliteConnection,
    migrations: &'static [&'static str],
    now: Timestamp,
) -> Result<()> {
    let mut transaction = connection
        .begin_with("BEGIN IMMEDIATE")
        .await
        .map_err(unavailable)?;
    let present = version(&mut transaction).await?;
    check_at_opening(present, migrations.len())?;
    for (migration, number) in migrations.iter().zip(1_i64..).skip(present) {
        sqlx::raw_sql(*migration)
            .execute(&mut *transaction)
            .await
            .map_err(unavailable)?;
        sqlx::query("INSERT INTO \"stead_schema\" (\"version\", \"applied_at\") VALUES ($1, $2)")
            .bind(number)
            .bind(now.to_string())
            .execute(&mut *transaction)
            .await
            .map_err(unavailable)?;
    }
    transaction.commit().await.map_err(unavailable)?;
    if present < migrations.len() {
        tracing::info!(
            from = present,
            to = migrations.len(),
            "the store's schema is up to date"
        );
    }
    Ok(())
}

/// Version of the schema; 0 for an empty file, whose table of versions is then made.
async fn version(connection: &mut SqliteConnection) -> Result<usize> {
    let tables = sqlx::query("SELECT \"name\" FROM \"sqlite_master\" WHERE \"type\" = 'table'")
        .fetch_all(&mut *connection)
        .await
        .map_err(unavailable)?;
    let is_ours = |row: &sqlx::sqlite::SqliteRow| {
        row.try_get::<String, _>(0)
            .is_ok_and(|name| name == "stead_schema")
    };
    if !tables.iter().any(is_ours) {
        if !tables.is_empty() {
            return Err(Error::new(
                ErrorKind::StorageUnavailable,
                "the file is the database of another program",
            ));
        }
        let table = "CREATE TABLE \"stead_schema\" (\"version\" BIGINT NOT NULL PRIMARY KEY, \"applied_at\" TEXT NOT NULL)";
        sqlx::query(table)
            .execute(connection)
            .await
            .map_err(unavailable)?;
        return Ok(0);
    }
    last_version(connection).await.map_err(Error::from)
}

/// The last version in the table of versions.
pub(super) async fn last_version(connection: &mut SqliteConnection) -> Result<usize, Fault> {
    let last: Option<i64> = sqlx::query("SELECT MAX(\"version\") FROM \"stead_schema\"")
        .fetch_one(connection)
        .await
        .and_then(|row| row.try_get(0))?;
    schema::version(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &[&str] = &["CREATE TABLE \"thing\" (\"id\" TEXT NOT NULL)"];
    const NEW: &[&str] = &[
        "CREATE TABLE \"thing\" (\"id\" TEXT NOT NULL)",
        "ALTER TABLE \"thing\" ADD COLUMN \"name\" TEXT; UPDATE \"thing\" SET \"name\" = \"id\"",
    ];
    const BROKEN: &[&str] = &[
        "CREATE TABLE \"thing\" (\"id\" TEXT NOT NULL)",
        "CREATE TABLE \"other\" (\"id\" TEXT); nonsense",
    ];

    async fn in_memory() -> SqliteConnection {
        SqliteConnection::connect("sqlite::memory:").await.unwrap()
    }

    #[tokio::test]
    async fn an_old_schema_is_brought_up_to_date_with_its_rows() {
        let mut connection = in_memory().await;
        migrate(&mut connection, OLD, Timestamp::UNIX_EPOCH)
            .await
            .unwrap();
        sqlx::query("INSERT INTO \"thing\" VALUES ('a')")
            .execute(&mut connection)
            .await
            .unwrap();
        for _ in 0..2 {
            migrate(&mut connection, NEW, Timestamp::UNIX_EPOCH)
                .await
                .unwrap();
        }
        let row = sqlx::query("SELECT \"name\" FROM \"thing\"")
            .fetch_one(&mut connection)
            .await
            .unwrap();
        assert_eq!(row.get::<String, _>(0), "a");
    }

    #[tokio::test]
    async fn a_newer_schema_is_refused() {
        let mut connection = in_memory().await;
        migrate(&mut connection, NEW, Timestamp::UNIX_EPOCH)
            .await
            .unwrap();
        let error = migrate(&mut connection, OLD, Timestamp::UNIX_EPOCH)
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageUnavailable);
        assert_eq!(
            error.message(),
            "the store was written by a newer Stead: its schema has version 2, this one knows up to 1"
        );
    }

    #[tokio::test]
    async fn a_migration_that_fails_leaves_nothing_behind() {
        let mut connection = in_memory().await;
        migrate(&mut connection, OLD, Timestamp::UNIX_EPOCH)
            .await
            .unwrap();
        migrate(&mut connection, BROKEN, Timestamp::UNIX_EPOCH)
            .await
            .unwrap_err();
        let tables = sqlx::query("SELECT \"name\" FROM \"sqlite_master\" WHERE \"name\" = 'other'");
        assert!(
            tables
                .fetch_optional(&mut connection)
                .await
                .unwrap()
                .is_none()
        );
        migrate(&mut connection, NEW, Timestamp::UNIX_EPOCH)
            .await
            .unwrap();
    }
}
