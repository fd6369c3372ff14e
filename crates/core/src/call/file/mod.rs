//! What a result left out, as a file: a handle stands for it, and says which call has to be made again.

mod content;
mod handle;

pub(super) use content::content;
pub(super) use handle::{LARGEST_INPUT, Owner, handles, open, unknown};
