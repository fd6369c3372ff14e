//! What a result left out, as a file: a handle names it, and whoever reads it makes the call again.

mod content;
mod handle;
mod read;

pub(super) use handle::{LARGEST_INPUT, Owner, handles, unknown};
pub(crate) use read::read;
