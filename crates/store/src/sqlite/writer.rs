//! The one connection that writes, and what is known about writing.

use std::{
    ops::{Deref, DerefMut},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use sqlx::{Sqlite as Driver, SqliteConnection, SqlitePool, pool::PoolConnection};
use stead_core::Result;

use super::fault::Fault;

/// Writes of this process queue for it in order.
#[derive(Debug)]
pub(super) struct Writer {
    pool: SqlitePool,
    health: Mutex<Health>,
}

/// How the last writes went.
#[derive(Debug, Default)]
struct Health {
    /// Why nothing is written, while that is so: what failed first.
    trouble: Option<String>,
    /// When a write last succeeded or failed, on the monotonic clock.
    heard: Option<Duration>,
}

/// The connection while one write has it. Unless it is given back, it is closed and another takes its place: after a
/// failure no one knows what is open on it, and neither where the caller went away in the middle.
pub(super) struct Taken {
    connection: PoolConnection<Driver>,
    is_sound: bool,
}

impl Writer {
    pub(super) fn new(pool: SqlitePool) -> Self {
        Self {
            pool,
            health: Mutex::default(),
        }
    }

    /// The connection, when it is this caller's turn.
    pub(super) async fn take(&self) -> Result<Taken, Fault> {
        Ok(Taken {
            connection: self.pool.acquire().await?,
            is_sound: false,
        })
    }

    /// Notes that something was written at this time.
    pub(super) fn succeeded(&self, now: Duration) {
        let mut health = self.health();
        health.heard = Some(now);
        if health.trouble.take().is_some() {
            tracing::info!("the store takes writes again");
        }
    }

    /// Notes what kept something from being written, and reports it where that is news. A consequence of an earlier fault
    /// is told as that.
    pub(super) fn failed(&self, now: Duration, mut fault: Fault) -> Fault {
        if self.pool.is_closed() {
            return fault;
        }
        let mut health = self.health();
        health.heard = Some(now);
        match &health.trouble {
            Some(first) if fault.may_follow => fault.why.clone_from(first),
            Some(first) if *first == fault.why => {}
            _ => {
                tracing::error!(why = %fault.why, "the store takes no writes");
                health.trouble = Some(fault.why.clone());
            }
        }
        fault
    }

    /// What a write of the last `recent` has shown; `None` where there was none.
    pub(super) fn heard(&self, now: Duration, recent: Duration) -> Option<Result<(), Fault>> {
        let health = self.health();
        let heard = health.heard?;
        if now.saturating_sub(heard) >= recent {
            return None;
        }
        Some(
            health
                .trouble
                .clone()
                .map_or(Ok(()), |why| Err(Fault::new(why))),
        )
    }

    #[cfg(test)]
    pub(super) fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    pub(super) async fn close(&self) {
        self.pool.close().await;
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// Gives the connection back: nothing is open on it.
    pub(super) fn give_back(mut self) {
        self.is_sound = true;
    }
}

impl Deref for Taken {
    type Target = SqliteConnection;
    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for Taken {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if !self.is_sound {
            self.connection.close_on_drop();
        }
    }
}
