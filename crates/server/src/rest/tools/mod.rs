//! `/v1/tools`: the catalogue, and calls by name.

mod execute;
mod list;
mod read;
#[cfg(test)]
mod tests;

pub(super) use execute::execute;
pub(super) use list::{FORMAT, QUERY as FILTER, list};
pub(super) use read::{QUERY as VERSION, read};
