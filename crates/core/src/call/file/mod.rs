//! Truncated parts of results as files. A handle contains the call to repeat.

mod content;
mod handle;

pub(super) use content::content;
pub(super) use handle::{LARGEST_INPUT, Owner, handles, open, unknown};
