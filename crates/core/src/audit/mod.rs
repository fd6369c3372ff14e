//! The audit log: reads entries and verifies that none was changed or removed.
//! [`Change::audit`](crate::context::change::Change::audit) writes them.

mod actions;
mod list;
mod rows;
#[cfg(test)]
mod tests;
mod verify;

pub use actions::{AuditAction, audit_actions};
pub(crate) use list::list;
pub(crate) use verify::verify;
