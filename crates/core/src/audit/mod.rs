//! The audit log: reads its entries, and verifies that none was changed or left out. They are written by
//! [`Change::audit`](crate::context::change::Change::audit).

mod list;
mod rows;
#[cfg(test)]
mod tests;
mod verify;

pub(crate) use list::list;
pub(crate) use verify::verify;
