//! `/v1/mcp-sessions`: bearer tokens for `/mcp`, each of one user.

mod create;
mod delete;
mod list;
mod read;

pub(super) use create::create;
pub(super) use delete::delete;
pub(super) use list::{FILTER, list};
pub(super) use read::read;
