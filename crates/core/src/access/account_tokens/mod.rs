//! Account tokens, which let a program act for one user's accounts and do nothing else.

mod create;
mod delete;
mod list;
mod token;

pub(crate) use create::create;
pub(crate) use delete::delete;
pub(crate) use list::list;

/// Prefix of every account token.
pub(super) const PREFIX: &str = "stead_account_";
