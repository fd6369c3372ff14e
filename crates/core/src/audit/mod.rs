//! The audit log: reads entries and verifies that none was changed or removed.
//! [`Change::audit`](crate::context::change::Change::audit) writes them.

mod list;
mod rows;
#[cfg(test)]
mod tests;
mod verify;

pub(crate) use list::list;
pub(crate) use verify::verify;
