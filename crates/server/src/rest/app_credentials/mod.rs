//! `/v1/app-credentials`: the credentials of applications. A secret is shown in the response that makes it, and never
//! again.

mod change;
mod create;
mod delete;
mod list;
mod read;
mod revoke_secret;
mod rotate;
#[cfg(test)]
mod tests;

pub(super) use change::change;
pub(super) use create::create;
pub(super) use delete::delete;
pub(super) use list::list;
pub(super) use read::read;
pub(super) use revoke_secret::revoke_secret;
pub(super) use rotate::rotate;
