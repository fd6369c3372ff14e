//! The one connection that writes, and what is known about writing.

use std::time::Duration;

use sqlx::{Sqlite as Driver, SqlitePool};

use crate::{fault::Fault, health::Health, taken::Taken};

/// Writes of this process queue for it in order.
#[derive(Debug)]
pub(super) struct Writer {
    pool: SqlitePool,
    health: Health,
}

impl Writer {
    pub(super) fn new(pool: SqlitePool) -> Self {
        Self {
            pool,
            health: Health::default(),
        }
    }

    /// The connection, when it is this caller's turn.
    pub(super) async fn take(&self) -> Result<Taken<Driver>, Fault> {
        Ok(Taken::from(&self.pool).await?)
    }

    /// Notes that something was written at this time.
    pub(super) fn succeeded(&self, now: Duration) {
        self.health.succeeded(now);
    }

    /// Notes what kept something from being written.
    pub(super) fn failed(&self, now: Duration, fault: Fault) -> Fault {
        if self.pool.is_closed() {
            return fault;
        }
        self.health.failed(now, fault)
    }

    /// Notes what kept something from being read.
    pub(super) fn not_read(&self, fault: Fault) -> Fault {
        self.health.not_read(fault)
    }

    /// The damage that was seen.
    pub(super) fn whole(&self) -> Result<(), Fault> {
        self.health.whole()
    }

    /// What a write of the last `recent` has shown; `None` where there was none.
    pub(super) fn heard(&self, now: Duration, recent: Duration) -> Option<Result<(), Fault>> {
        self.health.heard(now, recent)
    }

    #[cfg(test)]
    pub(super) fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    pub(super) async fn close(&self) {
        self.pool.close().await;
    }
}
