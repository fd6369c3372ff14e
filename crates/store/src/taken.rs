//! A connection while one piece of work uses it.

use std::ops::{Deref, DerefMut};

use sqlx::{Database, Pool, pool::PoolConnection};

/// Unless it's given back, it's closed and another one replaces it. After a failure, or if the caller left in the
/// middle, its transaction may still be open.
pub(crate) struct Taken<D: Database> {
    connection: PoolConnection<D>,
    is_sound: bool,
}

impl<D: Database> Taken<D> {
    /// A connection of the pool, once it's this caller's turn.
    pub(crate) async fn from(pool: &Pool<D>) -> sqlx::Result<Self> {
        Ok(Self {
            connection: pool.acquire().await?,
            is_sound: false,
        })
    }

    /// An idle connection of the pool, if there is one.
    #[cfg(feature = "postgres")]
    pub(crate) fn idle(pool: &Pool<D>) -> Option<Self> {
        let connection = pool.try_acquire()?;
        Some(Self {
            connection,
            is_sound: false,
        })
    }

    /// Gives the connection back. Nothing may be open on it.
    pub(crate) fn give_back(mut self) {
        self.is_sound = true;
    }
}

impl<D: Database> Deref for Taken<D> {
    type Target = D::Connection;
    fn deref(&self) -> &D::Connection {
        &self.connection
    }
}

impl<D: Database> DerefMut for Taken<D> {
    fn deref_mut(&mut self) -> &mut D::Connection {
        &mut self.connection
    }
}

impl<D: Database> Drop for Taken<D> {
    fn drop(&mut self) {
        if !self.is_sound {
            self.connection.close_on_drop();
        }
    }
}
