//! The only connection for writes, and the outcome of the last writes.

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

    /// The connection, once it's this caller's turn.
    pub(super) async fn take(&self) -> Result<Taken<Driver>, Fault> {
        Ok(Taken::from(&self.pool).await?)
    }

    /// Records that a write succeeded at this time.
    pub(super) fn succeeded(&self, now: Duration) {
        self.health.succeeded(now);
    }

    /// Records a failed write.
    pub(super) fn failed(&self, now: Duration, fault: Fault) -> Fault {
        if self.pool.is_closed() {
            return fault;
        }
        self.health.failed(now, fault)
    }

    /// Records a failed read.
    pub(super) fn not_read(&self, fault: Fault) -> Fault {
        self.health.not_read(fault)
    }

    /// Fails if damage was found.
    pub(super) fn whole(&self) -> Result<(), Fault> {
        self.health.whole()
    }

    /// The outcome of the writes within the last `recent`. `None` if there were none.
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
