//! `/v1/files`: truncated parts of results.

mod read;
#[cfg(test)]
mod tests;

pub(super) use read::{describe, read};
