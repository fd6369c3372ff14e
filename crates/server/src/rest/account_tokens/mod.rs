//! `/v1/account-tokens`: bearer tokens of one account, for programs that must not hold the application's own.

mod create;
mod delete;
mod list;

pub(super) use create::create;
pub(super) use delete::delete;
pub(super) use list::{QUERY as OF_ACCOUNT, list};
