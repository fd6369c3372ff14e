//! Reading of the files that the seeded world is made of.

use serde::Deserialize;

/// Reads a file of the seed. A test reads them all.
pub(crate) fn parse_seed<T: Deserialize<'static>>(text: &'static str) -> T {
    serde_json::from_str(text).expect("the seed is valid")
}
