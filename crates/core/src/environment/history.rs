//! What an application reads of what was: events, calls, and the audit log.

use std::time::Duration;

use jiff::Timestamp;

use super::Environment;
#[cfg(doc)]
use super::Retention;
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result, audit, call, events,
    resource::{
        AuditEntry, AuditFilter, AuditHead, AuditVerification, CallTotals, EventFilter, EventPage,
        ExecutionFilter, ExecutionRecord, Page, TotalsStep,
    },
};

impl Environment {
    /// Calls of the history, the youngest first: those that changed something or failed, and for a shorter time those that
    /// only read, as [`Retention`] says. A call is there within a second of its end. A page may hold fewer than
    /// `page_size` although more follow; at the end there is no token of a next one.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a page token of another list.
    pub async fn executions(
        &self,
        filter: &ExecutionFilter,
        page_token: Option<&str>,
        page_size: u32,
    ) -> Result<Page<ExecutionRecord>> {
        call::executions(&self.0, filter, page_token, page_size).await
    }

    /// One call of the history.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], also for one that is past its retention.
    pub async fn execution(&self, execution_id: &str) -> Result<ExecutionRecord> {
        call::execution(&self.0, execution_id).await
    }

    /// How many calls of all processes there were in the minutes or hours that start in a range of time, by connection, tool
    /// and outcome.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn execution_totals(
        &self,
        step: TotalsStep,
        since: Timestamp,
        before: Timestamp,
    ) -> Result<Vec<CallTotals>> {
        call::totals_by(&self.0, step, since, before).await
    }

    /// How many calls there were in the minutes that start in a range of time (hours for what is older than a week), by
    /// process, connection, tool and outcome. Every call that the history ever held is counted once.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn call_totals(
        &self,
        since: Timestamp,
        before: Timestamp,
    ) -> Result<Vec<CallTotals>> {
        call::totals(&self.0, since, before).await
    }

    /// The feed of events, after a cursor or from the oldest that is kept, in the order of their commits: at most `limit`,
    /// up to 500. `latest` in place of a cursor gives no events, and the cursor of now. Where nothing follows the cursor,
    /// it waits for the next event, at most `wait` and at most 30 s; what this process commits ends the wait at once, and
    /// what others commit within a second.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for what is not a cursor, and for a type that does not exist; [`ErrorKind::Overloaded`]
    /// where too many wait already.
    pub async fn events(
        &self,
        filter: &EventFilter,
        after: Option<&str>,
        limit: u32,
        wait: Duration,
    ) -> Result<EventPage> {
        events::read(&self.0, filter, after, limit, wait).await
    }

    /// Entries of the audit log, the youngest first: who changed what. A page may hold fewer than `page_size` although more
    /// follow; at the end there is no token of a next one.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a page token of another list.
    pub async fn audit_entries(
        &self,
        filter: &AuditFilter,
        page_token: Option<&str>,
        page_size: u32,
    ) -> Result<Page<AuditEntry>> {
        audit::list(&self.0, filter, page_token, page_size).await
    }

    /// Bytes that the history of calls takes in the store, as [`Retention::bytes`] counts them.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn history_bytes(&self) -> Result<u64> {
        call::history_bytes(&self.0).await
    }

    /// Reads the audit log from its first entry on, and names the first one that does not fit. That its end was cut off
    /// shows only to whoever has kept its head: it is `expect`.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`]. A log that was tampered with is not an error but the response.
    pub async fn verify_audit(&self, expect: Option<&AuditHead>) -> Result<AuditVerification> {
        audit::verify(&self.0, expect).await
    }
}
