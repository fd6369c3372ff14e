//! `/v1/policies`: which calls there may be, and which wait for a person.

mod delete;
mod list;
mod read;
mod set;
mod test;

pub(super) use delete::delete;
pub(super) use list::list;
pub(super) use read::read;
pub(super) use set::set;
pub(super) use test::test;
