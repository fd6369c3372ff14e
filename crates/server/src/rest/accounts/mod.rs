//! `/v1/accounts`: users' accounts. An identifier is one percent-encoded segment.

mod disconnect;
mod list;
mod read;
mod refresh;
mod resume;
mod suspend;
#[cfg(test)]
mod tests;

pub(super) use disconnect::{QUERY as DISCONNECT, disconnect};
pub(super) use list::{QUERY as FILTER, list};
pub(super) use read::read;
pub(super) use refresh::refresh;
pub(super) use resume::resume;
pub(super) use suspend::suspend;
