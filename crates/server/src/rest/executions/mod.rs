//! The history of calls.

mod list;
mod read;
#[cfg(test)]
mod tests;
mod totals;

pub(in crate::rest) use list::{QUERY as FILTER, list};
pub(in crate::rest) use read::read;
pub(in crate::rest) use totals::{QUERY as SPAN, totals};
