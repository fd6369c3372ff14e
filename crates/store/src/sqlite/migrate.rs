//! The schema and its versions.
//!
//! A released file of `migrations/` never changes. A new version is a new file at the end of the list. All missing
//! versions are applied in one transaction. Processes that start together enter it one after another. sqlx's own
//! migrator doesn't keep other processes out on SQLite, so it isn't used.

use jiff::Timestamp;
use sqlx::{AssertSqlSafe, Connection as _, Row as _, SqliteConnection};
use stead_core::{Error, ErrorKind, Result};

use super::fault::unavailable;
use crate::{
    fault::Fault,
    schema::{EXPANSIONS, Migration, Versions},
};

/// The first is version 1.
pub(super) const MIGRATIONS: &[Migration] = &[
    Migration::contracts(include_str!("../../migrations/0001_rows.sql")),
    Migration::contracts(include_str!("../../migrations/0002_history.sql")),
    Migration::contracts(include_str!("../../migrations/0003_event_positions.sql")),
    Migration::contracts(include_str!("../../migrations/0004_erasures.sql")),
    Migration::contracts(include_str!("../../migrations/0005_account_tokens.sql")),
    Migration::contracts(include_str!("../../migrations/0006_audit.sql")),
    Migration::contracts(include_str!("../../migrations/0007_idempotency.sql")),
    Migration::contracts(include_str!("../../migrations/0008_webhooks.sql")),
    Migration::contracts(include_str!("../../migrations/0009_members.sql")),
    Migration::contracts(include_str!("../../migrations/0010_mcp_sessions.sql")),
    Migration::contracts(include_str!("../../migrations/0011_policies.sql")),
    Migration::contracts(include_str!("../../migrations/0012_account_state.sql")),
    Migration::expands(include_str!("../../migrations/0013_leases.sql")),
    Migration::expands(include_str!("../../migrations/0014_calls.sql")),
];

/// Upgrades the schema to the latest version.
///
/// # Errors
/// [`ErrorKind::StorageUnavailable`] if the file belongs to another program, or to a newer Stead that has changed
/// something this one needs.
pub(super) async fn migrate(
    connection: &mut SqliteConnection,
    migrations: &'static [Migration],
    now: Timestamp,
) -> Result<()> {
    let mut transaction = connection
        .begin_with("BEGIN IMMEDIATE")
        .await
        .map_err(unavailable)?;
    let present = version(&mut transaction).await?;
    present.check_at_opening(migrations.len())?;
    let present = present.last;
    for (migration, number) in migrations.iter().zip(1_i64..).skip(present) {
        sqlx::raw_sql(migration.sql)
            .execute(&mut *transaction)
            .await
            .map_err(unavailable)?;
        let table = migration.noted_in();
        let noted =
            format!("INSERT INTO \"{table}\" (\"version\", \"applied_at\") VALUES ($1, $2)");
        sqlx::query(AssertSqlSafe(noted))
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

/// Whether the file is empty. If not, it's a store.
///
/// # Errors
/// [`ErrorKind::StorageUnavailable`] if it's neither.
pub(super) async fn is_new(connection: &mut SqliteConnection) -> Result<bool> {
    let tables = sqlx::query("SELECT \"name\" FROM \"sqlite_master\" WHERE \"type\" = 'table'")
        .fetch_all(&mut *connection)
        .await
        .map_err(unavailable)?;
    let is_ours = |row: &sqlx::sqlite::SqliteRow| {
        row.try_get::<String, _>(0)
            .is_ok_and(|name| name == "stead_schema")
    };
    if tables.is_empty() || tables.iter().any(is_ours) {
        return Ok(tables.is_empty());
    }
    Err(Error::new(
        ErrorKind::StorageUnavailable,
        "the file is another program's database",
    ))
}

/// Versions of the schema, 0 for an empty file. Creates the tables of versions if they're missing.
async fn version(connection: &mut SqliteConnection) -> Result<Versions> {
    if is_new(connection).await? {
        make(connection, "stead_schema").await?;
    }
    make(connection, EXPANSIONS).await?;
    versions(connection).await.map_err(Error::from)
}

async fn make(connection: &mut SqliteConnection, table_of_versions: &str) -> Result<()> {
    let table = format!(
        "CREATE TABLE IF NOT EXISTS \"{table_of_versions}\" (\"version\" BIGINT NOT NULL PRIMARY KEY, \"applied_at\" TEXT NOT NULL)"
    );
    let made = sqlx::query(AssertSqlSafe(table)).execute(connection).await;
    made.map(drop).map_err(unavailable)
}

/// The content of the tables of versions. The second one is missing if only an older Stead has opened the file.
pub(super) async fn versions(connection: &mut SqliteConnection) -> Result<Versions, Fault> {
    let table = "SELECT COUNT(*) FROM \"sqlite_master\" WHERE \"type\" = 'table' AND \"name\" = 'stead_schema_expansion'";
    let expansion = match one(connection, table).await? {
        Some(1) => {
            let last = "SELECT MAX(\"version\") FROM \"stead_schema_expansion\"";
            one(connection, last).await?
        }
        _ => None,
    };
    Versions::new(needed(connection).await?, expansion)
}

/// The version that a Stead must know to use the file.
pub(super) async fn needed(connection: &mut SqliteConnection) -> Result<Option<i64>, Fault> {
    one(connection, "SELECT MAX(\"version\") FROM \"stead_schema\"").await
}

async fn one(connection: &mut SqliteConnection, sql: &'static str) -> Result<Option<i64>, Fault> {
    let row = sqlx::query(sql).fetch_one(connection).await;
    Ok(row.and_then(|row| row.try_get(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const THING: Migration = Migration::contracts("CREATE TABLE \"thing\" (\"id\" TEXT NOT NULL)");
    const OLD: &[Migration] = &[THING];
    const NEW: &[Migration] = &[
        THING,
        Migration::contracts(
            "ALTER TABLE \"thing\" ADD COLUMN \"name\" TEXT; UPDATE \"thing\" SET \"name\" = \"id\"",
        ),
    ];
    const EXPANDED: &[Migration] = &[
        THING,
        Migration::expands("ALTER TABLE \"thing\" ADD COLUMN \"color\" TEXT"),
        Migration::expands("CREATE TABLE \"more\" (\"id\" TEXT)"),
    ];
    const BROKEN: &[Migration] = &[
        THING,
        Migration::contracts("CREATE TABLE \"other\" (\"id\" TEXT); nonsense"),
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

    #[test]
    fn migrations_that_expand_only_add() {
        crate::schema::tests::expand_as_they_say(MIGRATIONS);
    }

    #[tokio::test]
    async fn a_schema_expanded_by_a_newer_version_is_accepted() {
        let mut connection = in_memory().await;
        for migrations in [OLD, EXPANDED, OLD, &EXPANDED[..2], EXPANDED] {
            migrate(&mut connection, migrations, Timestamp::UNIX_EPOCH)
                .await
                .unwrap();
            let row = sqlx::query("INSERT INTO \"thing\" (\"id\") VALUES ('a')");
            row.execute(&mut connection).await.unwrap();
        }
        let versions = versions(&mut connection).await.unwrap();
        assert_eq!((versions.last, versions.needed), (3, 1));
    }

    #[tokio::test]
    async fn a_schema_that_a_newer_one_has_changed_is_refused() {
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
            "a newer Stead wrote the store (schema version 2, this Stead supports up to 1); run the newer Stead"
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
