//! Reads the database of a run from outside the service.

use std::{path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context as _, Result, anyhow};
use rusqlite::{Connection, OpenFlags};
use stead_test_postgres::Server;

#[derive(Debug, Clone)]
pub(crate) enum Database {
    /// An SQLite file.
    File(PathBuf),
    /// A database on a PostgreSQL server, by name.
    Server(Arc<Server>, String),
}

impl Database {
    /// Creates a database on a new PostgreSQL server. `None` if PostgreSQL isn't installed.
    pub(crate) async fn on_server() -> Result<Option<Self>> {
        let started = blocking(|| {
            let server = Server::prepare()?;
            server.up();
            let name = server.database();
            Some(Self::Server(Arc::new(server), name))
        });
        started.await
    }

    pub(crate) fn server(&self) -> Option<&Arc<Server>> {
        match self {
            Self::File(_) => None,
            Self::Server(server, _) => Some(server),
        }
    }

    /// The URL of a database on a server.
    pub(crate) fn url(&self) -> Option<String> {
        match self {
            Self::File(_) => None,
            Self::Server(server, name) => Some(server.url(name)),
        }
    }

    /// Returns the rows of a query that selects one text column.
    pub(crate) fn rows(&self, sql: &str) -> Result<Vec<String>> {
        match self {
            Self::File(path) => {
                let database = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                database.busy_timeout(Duration::from_secs(10))?;
                let mut query = database.prepare(sql)?;
                let rows = query.query_map([], |row| row.get(0))?;
                Ok(rows.collect::<Result<_, _>>()?)
            }
            Self::Server(server, name) => {
                let rows = server.query(name, sql);
                rows.map_err(|error| anyhow!("cannot read {name}: {error}"))
            }
        }
    }
}

/// Runs blocking work on a thread of its own.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.context("a program of PostgreSQL failed")
}
