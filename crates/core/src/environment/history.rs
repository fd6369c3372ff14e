//! What an application reads of what was: events, calls, and the audit log.

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
        call::history::by_process(&self.0, since, before).await
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

    /// Bytes that the history of calls takes in the store, as [`Retention::bytes`] counts them.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`].
    pub async fn history_bytes(&self) -> Result<u64> {
        call::history::history_bytes(&self.0).await
    }
}
