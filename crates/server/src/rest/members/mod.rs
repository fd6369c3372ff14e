//! `/v1/members`: who may sign in to the dashboard. A link that sets a password is shown in the response that makes it, and
//! never again.

mod change;
mod create;
mod delete;
mod list;
mod read;
mod reset;
#[cfg(test)]
mod tests;

pub(super) use change::change;
pub(super) use create::create;
pub(super) use delete::delete;
pub(super) use list::list;
pub(super) use read::read;
pub(super) use reset::reset;
