//! Versions of a database's schema: what is refused, and in which words.

use crate::fault::Fault;

/// An older Stead does not open what a newer one has written.
pub(crate) fn check_at_opening(present: usize, known: usize) -> stead_core::Result<()> {
    if present <= known {
        return Ok(());
    }
    Err(stead_core::Error::new(
        stead_core::ErrorKind::StorageUnavailable,
        format!(
            "the store was written by a newer Stead: its schema has version {present}, this one knows up to {known}"
        ),
    ))
}

/// A newer Stead may have raised the schema while this one runs: it must not write into a form that it does not know.
pub(crate) fn check_while_running(present: usize, known: usize) -> Result<(), Fault> {
    if present <= known {
        return Ok(());
    }
    Err(Fault::new(format!(
        "a newer Stead has changed the store's schema to version {present} while this one runs, which knows up to {known}; run the newer one"
    )))
}

/// The number of versions, from what the table of versions says last.
pub(crate) fn version(last: Option<i64>) -> Result<usize, Fault> {
    usize::try_from(last.unwrap_or(0))
        .map_err(|_| Fault::new("the version of its schema cannot be read"))
}
