//! `/v1/approvals`: calls that wait for a person.

mod approve;
mod deny;
mod list;
mod read;

pub(super) use approve::approve;
pub(super) use deny::deny;
pub(super) use list::{FILTER, list};
pub(super) use read::read;
