//! `/v1/connections`: the products' OAuth clients. Secrets go in and never come out.

mod change;
mod create;
mod delete;
mod list;
mod read;
#[cfg(test)]
mod tests;

pub(super) use change::change;
pub(super) use create::create;
pub(super) use delete::delete;
pub(super) use list::list;
pub(super) use read::read;
