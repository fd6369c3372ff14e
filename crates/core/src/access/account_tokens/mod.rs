//! Account tokens: what a program may hold that acts for one user of one connection, and nothing else.

mod authenticate;
mod create;
mod delete;
mod list;

pub(super) use authenticate::check;
pub(crate) use create::create;
pub(crate) use delete::delete;
pub(crate) use list::list;

/// What every account token starts with.
pub(super) const PREFIX: &str = "stead_account_";
