//! What SQLite's errors mean.

use stead_core::{Error, ErrorKind};

const BUSY: i32 = 5;
const LOCKED: i32 = 6;

/// Whether a key or another unique value exists already.
pub(super) fn is_unique_violation(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(|error| error.is_unique_violation())
}

/// Whether another connection has the lock that is needed.
pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    matches!(primary_code(error), Some(BUSY | LOCKED))
}

/// The store does not answer, and why. SQLite's own words name tables and columns, never values.
pub(super) fn unavailable(error: sqlx::Error) -> Error {
    let why = match (&error, primary_code(&error)) {
        (sqlx::Error::PoolTimedOut, _) | (_, Some(BUSY | LOCKED)) => "it is busy",
        (sqlx::Error::PoolClosed, _) => "it is closed",
        (_, Some(8)) => "its file or folder cannot be written",
        (_, Some(10)) => "the disk failed",
        (_, Some(11)) => "its file is damaged",
        (_, Some(13)) => "the disk is full",
        (_, Some(14)) => "its file cannot be opened",
        (_, Some(26)) => "its file is not a SQLite database",
        _ => "the database failed",
    };
    Error::new(
        ErrorKind::StorageUnavailable,
        format!("the store does not answer: {why}"),
    )
    .with_source(error)
}

/// Primary result code, such as 5 for SQLITE_BUSY (SQLite, Result and Error Codes).
fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xff)
}
