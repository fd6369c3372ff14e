//! Events, and totals of calls.

use std::time::Duration;

use jiff::Timestamp;

use super::Environment;
#[cfg(doc)]
use super::Retention;
#[cfg(doc)]
use crate::ErrorKind;
use crate::{
    Result, call, events,
    resource::{CallTotals, EventFilter, EventPage},
};

impl Environment {
    /// Counts the calls in the minutes that start in a range of time, by process, connection, tool and outcome. Counts
    /// older than a week are by the hour. Every call that was ever in the history is counted once.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn call_totals(
        &self,
        since: Timestamp,
        before: Timestamp,
    ) -> Result<Vec<CallTotals>> {
        call::history::by_process(&self.0, since, before).await
    }

    /// A page of the feed of events, in the order of their commits. It starts after a cursor, or at the oldest event,
    /// and has at most `limit` events, up to 500. With `latest` instead of a cursor, it has no events, only the current
    /// cursor.
    ///
    /// If there is no event after the cursor, it waits for one, for `wait` and 30 s at most. An event of this process
    /// ends the wait immediately, one of another process within a second.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for an invalid cursor, or a type that doesn't exist. [`ErrorKind::Overloaded`] if
    /// too many callers are waiting.
    pub async fn events(
        &self,
        filter: &EventFilter,
        after: Option<&str>,
        limit: u32,
        wait: Duration,
    ) -> Result<EventPage> {
        events::read(&self.0, filter, after, limit, wait).await
    }

    /// The size in bytes of the history of calls in the store, as [`Retention::bytes`] counts it.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn history_bytes(&self) -> Result<u64> {
        call::history::history_bytes(&self.0).await
    }
}
