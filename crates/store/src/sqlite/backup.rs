//! Copies a database while a service runs.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use sqlx::{ConnectOptions as _, Connection as _, sqlite::SqliteConnectOptions};
use stead_core::{Error, ErrorKind, Result};

use super::{
    fault::unavailable,
    migrate,
    state::{BACKUP, set},
};
use crate::{
    fault::Fault,
    files::{for_owner_only, unusable},
};

/// Writes a copy of the database into a new file that only its owner can read. Others can keep reading and writing. The
/// copy is the database as it was at one moment.
///
/// Secrets stay encrypted in the copy. It doesn't contain the key ring, and no one can decrypt them without it.
///
/// The copy carries a mark. A store that opens it later knows that refresh tokens in it may have been used since
/// ([`Store::restored_at`](stead_core::store::Store::restored_at)).
///
/// # Errors
/// - [`ErrorKind::InvalidRequest`] if the new file exists already.
/// - [`ErrorKind::StorageUnavailable`] if the database can't be opened, isn't one of Stead's, or the copy can't be
///   written. An unfinished copy is removed.
pub async fn backup(database: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<()> {
    let to = absolute(to.as_ref())?;
    let database = absolute(database.as_ref())?;
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    for_owner_only(&mut options);
    match options.open(&to) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let message = format!(
                "{} already exists; write the backup to a new file",
                to.display()
            );
            return Err(Error::new(ErrorKind::InvalidRequest, message));
        }
        Err(error) => return Err(failed(&to, &unusable(error))),
    }
    let copied = copy(&database, &to).await;
    if copied.is_err() {
        // No one else knows about the file.
        let _ = fs::remove_file(&to);
    }
    copied
}

async fn copy(database: &Path, to: &Path) -> Result<()> {
    // A missing file isn't created.
    let mut connection = SqliteConnectOptions::new()
        .filename(database)
        .disable_statement_logging()
        .connect()
        .await
        .map_err(unavailable)
        .map_err(|error| failed(database, &error))?;
    let vacuumed = async {
        let is_ours = "SELECT 1 FROM \"sqlite_master\" WHERE \"type\" = 'table' AND \"name\" = 'stead_schema'";
        if sqlx::query(is_ours)
            .fetch_optional(&mut connection)
            .await?
            .is_none()
        {
            return Err(Fault::new("it isn't a Stead database"));
        }
        migrate::versions(&mut connection).await?;
        sqlx::query("VACUUM INTO $1")
            .bind(to.to_string_lossy().into_owned())
            .execute(&mut connection)
            .await?;
        Ok(())
    }
    .await;
    vacuumed.map_err(|fault: Fault| failed(database, &fault.into()))?;
    connection.close().await.map_err(unavailable)?;
    mark(to).await.map_err(|fault| failed(to, &fault.into()))?;
    durable(to).map_err(|error| failed(to, &unusable(error)))
}

/// Marks the file as a copy.
async fn mark(copy: &Path) -> Result<(), Fault> {
    let mut connection = SqliteConnectOptions::new()
        .filename(copy)
        .disable_statement_logging()
        .connect()
        .await?;
    sqlx::query(super::state::TABLE)
        .execute(&mut connection)
        .await?;
    set(&mut connection, BACKUP, String::from("yes")).await?;
    Ok(connection.close().await?)
}

fn durable(file: &Path) -> io::Result<()> {
    fs::File::open(file)?.sync_all()?;
    #[cfg(unix)]
    if let Some(folder) = file.parent() {
        fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(unusable)
}

fn failed(file: &Path, error: &Error) -> Error {
    let message = format!("{}: {}", file.display(), error.message());
    Error::new(error.kind(), message).with_source(error.clone())
}
