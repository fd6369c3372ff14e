//! `/v1/files`: what results have only in part.

mod read;
#[cfg(test)]
mod tests;

pub(super) use read::{describe, read};
