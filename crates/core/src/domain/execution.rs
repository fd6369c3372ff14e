//! The record of one run of a tool or of a raw request.

use jiff::Timestamp;

use crate::identifier::ExecutionId;
pub(crate) use crate::resource::history::ExecutionRow as Execution;

impl Execution {
    /// The outcome of a call that succeeded.
    pub(crate) const OK: &'static str = "ok";

    /// Whether it's kept for the longer time, because it changed something or failed. Reads are removed sooner, and
    /// remain in the totals.
    pub(crate) fn lasts(&self) -> bool {
        self.changes || self.outcome != Self::OK
    }

    /// Its position in the history.
    pub(crate) fn place(&self) -> (Timestamp, ExecutionId) {
        (self.started_at, self.id)
    }
}
