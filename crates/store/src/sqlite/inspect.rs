//! Inspects a database file without opening it as a store and without changing it.

use std::{path::Path, time::Duration};

use sqlx::{ConnectOptions as _, Connection as _, Row as _, sqlite::SqliteConnectOptions};
use stead_core::{Error, ErrorKind, Result};

use super::{
    fault::{is_unwritable, unavailable},
    file::why_read_only,
    migrate::{self, MIGRATIONS},
};
use crate::{fault::Fault, files::unusable};

/// The state of a database file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Inspection {
    /// Version of its schema.
    pub schema: usize,
    /// The lowest version of the schema that a Stead must know to use it. Later versions only add to it.
    pub needed_schema: usize,
    /// The version that this Stead writes.
    pub known_schema: usize,
    /// The damage that SQLite's quick check finds.
    pub damage: Option<String>,
    /// Why the file can't be written, if it can't.
    pub unwritable: Option<String>,
}

/// Inspects a database file: its schema, whether it is damaged, and whether it can be written. A service may have it
/// open.
///
/// # Errors
/// [`ErrorKind::StorageUnavailable`] if it can't be opened or read at all, or isn't a database of Stead.
pub async fn inspect(database: impl AsRef<Path>) -> Result<Inspection> {
    let path = std::path::absolute(database.as_ref()).map_err(unusable)?;
    let looked = look(&path).await;
    looked.map_err(|error| {
        let read_only = is_unwritable(&error)
            .then(|| why_read_only(&path))
            .flatten();
        let why = read_only.as_deref().unwrap_or(error.message());
        let message = format!("can't open {}: {why}", path.display());
        Error::new(error.kind(), message).with_source(error)
    })
}

async fn look(path: &Path) -> Result<Inspection> {
    // A missing file isn't created.
    let mut connection = SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(Duration::from_secs(5))
        .disable_statement_logging()
        .connect()
        .await
        .map_err(unavailable)?;
    let is_ours =
        "SELECT 1 FROM \"sqlite_master\" WHERE \"type\" = 'table' AND \"name\" = 'stead_schema'";
    let ours = sqlx::query(is_ours).fetch_optional(&mut connection).await;
    if ours.map_err(unavailable)?.is_none() {
        let message = "it isn't a Stead database";
        return Err(Error::new(ErrorKind::StorageUnavailable, message));
    }
    let damage = match sqlx::query("PRAGMA quick_check(1)")
        .fetch_one(&mut connection)
        .await
        .and_then(|row| row.try_get::<String, _>(0))
    {
        Ok(said) => Some(said).filter(|said| said != "ok"),
        Err(error) => Some(Fault::from(error).why),
    };
    let schema = migrate::versions(&mut connection).await?;
    let begun = match connection.begin_with("BEGIN IMMEDIATE").await {
        Ok(open) => open.rollback().await,
        Err(error) => Err(error),
    };
    let unwritable = begun.err().map(|error| {
        let why = why_read_only(path);
        why.unwrap_or_else(|| Fault::from(error).why)
    });
    connection.close().await.map_err(unavailable)?;
    Ok(Inspection {
        schema: schema.last,
        needed_schema: schema.needed,
        known_schema: MIGRATIONS.len(),
        damage,
        unwritable,
    })
}
