//! The meaning of SQLite's errors.

use stead_core::Error;

use crate::fault::Fault;

/// Primary result codes (SQLite, Result and Error Codes).
const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const READ_ONLY: i32 = 8;
const IO: i32 = 10;
const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const CANNOT_OPEN: i32 = 14;
const NOT_A_DATABASE: i32 = 26;

/// SQLite's own messages name tables and columns, but never values.
impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        let (why, may_follow) = match (&error, primary_code(&error)) {
            (sqlx::Error::PoolTimedOut, _) => ("it is busy", true),
            (sqlx::Error::PoolClosed, _) => ("it is closed", false),
            (_, Some(BUSY | LOCKED)) => ("its file is locked by another program", false),
            (_, Some(READ_ONLY)) => ("its file or folder is read-only", false),
            (_, Some(IO)) => ("the disk failed", true),
            (_, Some(CORRUPT)) => ("its file is damaged", false),
            (_, Some(FULL)) => ("the disk is full", false),
            (_, Some(CANNOT_OPEN)) => ("its file can't be opened", true),
            (_, Some(NOT_A_DATABASE)) => ("its file isn't a SQLite database", false),
            _ => ("the database failed", true),
        };
        Self {
            why: why.to_owned(),
            may_follow,
            is_damage: matches!(primary_code(&error), Some(CORRUPT | NOT_A_DATABASE)),
            is_setting: matches!(primary_code(&error), Some(READ_ONLY | NOT_A_DATABASE)),
            source: Some(error),
        }
    }
}

/// Whether another connection holds the required lock.
pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    matches!(primary_code(error), Some(BUSY | LOCKED))
}

/// The error of a step that fails while the store opens.
pub(super) fn unavailable(error: sqlx::Error) -> Error {
    Fault::from(error).at_opening()
}

/// Whether the file may not be writable. If its folder is read-only, SQLite reports that it can't open the file.
pub(super) fn is_unwritable(error: &Error) -> bool {
    std::error::Error::source(error)
        .and_then(|source| source.downcast_ref::<sqlx::Error>())
        .is_some_and(|source| matches!(primary_code(source), Some(READ_ONLY | CANNOT_OPEN)))
}

/// Primary result code, such as 5 for SQLITE_BUSY.
fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xff)
}
