//! The server that the database is on, and its timeline. A database that was restored from a copy has a different
//! origin.
//!
//! A copy by `pg_dump` has another server, or another number on the same one. A server that was restored from a base
//! backup, and a standby that took over, increment their timeline. Refresh tokens in such a database may have been used
//! since.

use jiff::Timestamp;
use sqlx::{PgConnection, Row as _};

use super::{BEGIN, CLOCK, fault::fault};
use crate::fault::Fault;

/// The server's identifier, the number of the database, and the timeline.
const ORIGIN: &str = "SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()), \
    (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()), \
    left(pg_walfile_name(pg_current_wal_lsn()), 8))";

/// When the database was restored from an older copy, as far as its origin shows.
pub(super) async fn restored_at(connection: &mut PgConnection) -> Result<Option<Timestamp>, Fault> {
    run(connection, BEGIN).await?;
    let origin = sqlx::raw_sql(ORIGIN).fetch_one(&mut *connection).await;
    let origin: String = match origin.and_then(|row| row.try_get(0)) {
        Ok(origin) => origin,
        Err(error @ sqlx::Error::Database(_)) => {
            tracing::debug!(%error, "the server doesn't say where the database comes from");
            run(connection, "ROLLBACK").await?;
            return Ok(None);
        }
        Err(error) => return Err(fault(error)),
    };
    let first = "INSERT INTO \"stead_state\" VALUES ('origin', $1) ON CONFLICT DO NOTHING";
    let other =
        "UPDATE \"stead_state\" SET \"value\" = $1 WHERE \"name\" = 'origin' AND \"value\" <> $1";
    let mut changed = 0;
    for statement in [first, other] {
        let done = sqlx::query(statement)
            .persistent(false)
            .bind(&origin)
            .execute(&mut *connection)
            .await
            .map_err(fault)?;
        changed = done.rows_affected();
    }
    if changed > 0 {
        tracing::warn!(
            "the database was restored from a backup or a standby took over; its refresh tokens may already have been used"
        );
        let note = format!(
            "INSERT INTO \"stead_state\" VALUES ('restored_at', {CLOCK}::text) \
             ON CONFLICT (\"name\") DO UPDATE SET \"value\" = excluded.\"value\""
        );
        run_text(connection, note).await?;
    }
    let noted = "SELECT \"value\"::bigint FROM \"stead_state\" WHERE \"name\" = 'restored_at'";
    let noted = sqlx::query(noted)
        .persistent(false)
        .fetch_optional(&mut *connection)
        .await
        .map_err(fault)?;
    run(connection, "COMMIT").await?;
    let noted = noted.and_then(|row| row.try_get(0).ok());
    Ok(noted.and_then(|at| Timestamp::from_microsecond(at).ok()))
}

async fn run(connection: &mut PgConnection, sql: &'static str) -> Result<(), Fault> {
    let done = sqlx::raw_sql(sql).execute(connection).await;
    done.map(drop).map_err(fault)
}

async fn run_text(connection: &mut PgConnection, sql: String) -> Result<(), Fault> {
    let done = sqlx::raw_sql(sqlx::AssertSqlSafe(sql))
        .execute(connection)
        .await;
    done.map(drop).map_err(fault)
}
