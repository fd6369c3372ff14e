//! `/v1/audit`: who changed what.

mod list;
#[cfg(test)]
mod tests;
mod verify;

pub(super) use list::{QUERY as FILTER, list};
pub(super) use verify::{QUERY as EXPECT, verify};
