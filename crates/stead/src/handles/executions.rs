//! The history of calls.

use std::fmt;

use jiff::Timestamp;
use stead_core::{
    Result,
    resource::{
        CallTotals, CountExecutions, ExecutionFilter, ExecutionRecord, ListExecutions,
        ReadExecution, TotalsSpan, TotalsStep,
    },
};

use super::list::List;
use crate::backend::Backend;

/// The history of calls, or those that match your filters.
#[derive(Clone)]
#[must_use = "executions are read by `list`"]
pub struct Executions {
    backend: Backend,
    filter: ExecutionFilter,
}

impl Executions {
    pub(crate) fn new(backend: Backend) -> Self {
        let filter = ExecutionFilter::default();
        Self { backend, filter }
    }
    /// Only calls through this connection.
    pub fn connection(mut self, name: impl Into<String>) -> Self {
        self.filter.connection_name = Some(name.into());
        self
    }
    /// Only calls as this user.
    pub fn identifier(mut self, identifier: impl Into<String>) -> Self {
        self.filter.identifier = Some(identifier.into());
        self
    }
    /// Only calls of this tool. Use `proxy` for raw requests.
    pub fn tool(mut self, name: impl Into<String>) -> Self {
        self.filter.tool = Some(name.into());
        self
    }
    /// Only calls with this outcome: `ok`, or an error's kind.
    pub fn outcome(mut self, outcome: impl Into<String>) -> Self {
        self.filter.outcome = Some(outcome.into());
        self
    }
    /// Only calls of the application with this client ID.
    pub fn actor(mut self, client_id: impl Into<String>) -> Self {
        self.filter.actor = Some(client_id.into());
        self
    }
    /// Only calls that started at this time or later.
    pub fn since(mut self, moment: Timestamp) -> Self {
        self.filter.since = Some(moment);
        self
    }
    /// Only calls that started before this time.
    pub fn before(mut self, moment: Timestamp) -> Self {
        self.filter.before = Some(moment);
        self
    }
    /// The calls, newest first. A page may have fewer than its size even if more follow.
    pub fn list(self) -> List<ExecutionRecord> {
        List::of(self.backend, ListExecutions::new().filter(self.filter))
    }
    /// One call.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), also if the history no longer keeps it.
    pub async fn read(&self, execution_id: &str) -> Result<ExecutionRecord> {
        self.backend.send(ReadExecution::new(execution_id)).await
    }
    /// Counts the calls in the minutes or hours that start in a range of time, by connection, tool and outcome. The
    /// filters of the list don't apply.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) if you ask a service for more than a day by the
    /// minute, or a month by the hour.
    pub async fn totals(
        &self,
        step: TotalsStep,
        since: Timestamp,
        before: Timestamp,
    ) -> Result<Vec<CallTotals>> {
        let span = TotalsSpan::new(step, since, before);
        let counted = self.backend.send(CountExecutions::new().span(span)).await?;
        Ok(counted.items)
    }
}

impl fmt::Debug for Executions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executions")
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}
