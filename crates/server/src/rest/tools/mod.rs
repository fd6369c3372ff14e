//! `/v1/tools`: the catalogue, and calls by name.

mod execute;
mod list;
mod read;
#[cfg(test)]
mod tests;

pub(super) use execute::execute;
pub(super) use list::list;
pub(super) use read::read;
