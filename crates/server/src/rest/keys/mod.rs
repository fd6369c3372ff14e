//! `/v1/keys`: the data keys that seal the store's secrets. The keys of the operator's ring are named and never shown.

mod activate;
mod add;
mod list;
mod reencrypt;
mod retire;
mod rewrap;
#[cfg(test)]
mod tests;

pub(super) use activate::activate;
pub(super) use add::add;
pub(super) use list::{QUERY as COUNT, list};
pub(super) use reencrypt::reencrypt;
pub(super) use retire::retire;
pub(super) use rewrap::rewrap;
