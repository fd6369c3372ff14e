//! The target of a copy has a mark until everything is copied. No service opens it before that.

use stead_core::{Error, ErrorKind, Result, store::Value};

use crate::engine::{Engine, Statement};

/// Row of `stead_state` with the progress of the copy.
pub(crate) const NAME: &str = "copy";

/// Reads the mark.
pub(crate) fn mark() -> Statement {
    Statement {
        sql: String::from("SELECT \"value\" FROM \"stead_state\" WHERE \"name\" = $1"),
        values: vec![Value::Text(String::from(NAME))],
    }
}

/// Refuses a database that has the mark.
pub(crate) async fn refuse(engine: &impl Engine) -> Result<()> {
    if engine.fetch(mark()).await?.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::StorageUnavailable,
        "it has an unfinished copy of another database; run the same `stead store copy` again to continue, or copy into an empty database",
    )
    .with_retryable(false))
}
