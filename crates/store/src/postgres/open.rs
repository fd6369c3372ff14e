//! Opens the database: its address, its user, and whether it belongs to Stead.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use sqlx::{
    ConnectOptions as _, PgPool, Row as _,
    pool::PoolOptions,
    postgres::{PgConnectOptions, PgSslMode},
};
use stead_core::{Error, ErrorKind, Result, ports::Runtime};

use super::{
    BEGIN, Parts, Postgres, PostgresStore, end,
    fault::unavailable,
    migrate::{MIGRATIONS, is_ours, migrate, versions},
    origin,
};
use crate::{health::Health, schema::Versions, taken::Taken, unfinished};

/// How a database is opened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PostgresOptions {
    /// Maximum number of connections of this process. Defaults to 10.
    pub connections: u32,
    /// Longest wait for a connection. Defaults to 5 s.
    pub wait: Duration,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            connections: 10,
            wait: Duration::from_secs(5),
        }
    }
}

impl PostgresOptions {
    /// Sets the maximum number of connections of this process, at least 1.
    #[must_use]
    pub fn with_connections(mut self, connections: u32) -> Self {
        self.connections = connections.max(1);
        self
    }
    /// Sets the longest wait for a connection.
    #[must_use]
    pub fn with_wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }
}

impl PostgresStore {
    /// Opens a database, and creates the tables if it is empty. An older schema is upgraded. If several servers start
    /// together, one of them upgrades it and the others wait.
    ///
    /// The URL has the form `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. For a socket of this machine, write
    /// `?host=/run/postgresql`. The variables of PostgreSQL (`PGPASSWORD`, `PGPASSFILE`) fill in the parts that the URL
    /// omits.
    ///
    /// `sslmode` is `verify-full` unless the URL names another one. The server must then present a certificate for its
    /// name, signed by one of the machine's authorities or those of `sslrootcert`. For a server on this machine, the
    /// default is `prefer`.
    ///
    /// # Errors
    /// - [`ErrorKind::InvalidRequest`] if the URL can't be read.
    /// - [`ErrorKind::StorageUnavailable`] if the database can't be reached or written.
    /// - The same kind if it belongs to another program or to a newer Stead, or has an unfinished copy of another
    ///   database.
    ///
    /// The message names the server and the database, but never the password.
    pub async fn open(url: &str, runtime: Arc<dyn Runtime>) -> Result<Self> {
        Self::open_with(url, runtime, PostgresOptions::default()).await
    }

    /// Opens a database like [`open`](Self::open), with options.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub async fn open_with(
        url: &str,
        runtime: Arc<dyn Runtime>,
        options: PostgresOptions,
    ) -> Result<Self> {
        Self::open_for(url, runtime, options, false).await
    }

    /// The same, but also accepts the target of an unfinished copy.
    pub(crate) async fn open_for(
        url: &str,
        runtime: Arc<dyn Runtime>,
        options: PostgresOptions,
        to_copy_into: bool,
    ) -> Result<Self> {
        let target = parse(url)?;
        let pool = pool(&target, &options);
        let opened = match prepare(pool.clone(), runtime).await {
            Ok(engine) if to_copy_into => Ok(engine),
            Ok(engine) => unfinished::refuse(&engine).await.map(|()| engine),
            Err(error) => Err(error),
        };
        match opened {
            Ok(engine) => Ok(Self { engine }),
            Err(error) => {
                pool.close().await;
                Err(cannot_open(&target, error))
            }
        }
    }

    /// Finishes running writes, and closes the connections. Later calls fail. Nothing is lost if you don't call it.
    pub async fn close(&self) {
        self.engine.close().await;
    }
}

/// The state of a database.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PostgresInspection {
    /// The server and the name of the database.
    pub place: String,
    /// Version of its schema; 0 if it is empty.
    pub schema: usize,
    /// The lowest version of the schema that a Stead must know to use it. Later versions only add to it.
    pub needed_schema: usize,
    /// Version of the schema that this Stead knows.
    pub known_schema: usize,
    /// Why a commit isn't on the disk when it returns, if the server is configured that way.
    pub not_durable: Option<String>,
}

/// Inspects a database without changing it. Uses a read-write transaction to find out whether it accepts writes.
///
/// # Errors
/// As for [`PostgresStore::open`].
pub async fn inspect_postgres(url: &str) -> Result<PostgresInspection> {
    let target = parse(url)?;
    let pool = pool(&target, &PostgresOptions::default().with_connections(1));
    let inspected = inspect(&pool).await;
    pool.close().await;
    let (schema, not_durable) = inspected.map_err(|error| cannot_open(&target, error))?;
    Ok(PostgresInspection {
        place: place(&target),
        schema: schema.last,
        needed_schema: schema.needed,
        known_schema: MIGRATIONS.len(),
        not_durable,
    })
}

/// Server, database and user of a URL, for messages.
///
/// # Errors
/// [`ErrorKind::InvalidRequest`] if the URL can't be read.
pub(crate) fn place_of(url: &str) -> Result<String> {
    parse(url).map(|target| place(&target))
}

async fn inspect(pool: &PgPool) -> Result<(Versions, Option<String>)> {
    let mut connection = Taken::from(pool).await.map_err(unavailable)?;
    let begun = sqlx::raw_sql(BEGIN).execute(&mut *connection).await;
    begun.map_err(unavailable)?;
    let schema = match is_ours(&mut connection).await? {
        Some(()) => versions(&mut connection).await?,
        None => Versions::new(None, None)?,
    };
    let settings = "SELECT name || ' = ' || setting FROM pg_catalog.pg_settings \
        WHERE name IN ('fsync', 'synchronous_commit') AND setting = 'off' ORDER BY name LIMIT 1";
    let not_durable = sqlx::raw_sql(settings)
        .fetch_optional(&mut *connection)
        .await
        .and_then(|row| row.map(|row| row.try_get(0)).transpose())
        .map_err(unavailable)?;
    end(connection, "COMMIT").await.map_err(unavailable)?;
    Ok((schema, not_durable))
}

async fn prepare(pool: PgPool, runtime: Arc<dyn Runtime>) -> Result<Postgres> {
    let mut connection = Taken::from(&pool).await.map_err(unavailable)?;
    migrate(&mut connection, MIGRATIONS).await?;
    let restored_at = origin::restored_at(&mut connection).await?;
    connection.give_back();
    Ok(Postgres(Arc::new(Parts {
        pool,
        connecting: futures_util::lock::Mutex::default(),
        health: Health::default(),
        probe: futures_util::lock::Mutex::default(),
        schema_seen: Mutex::default(),
        restored_at,
        runtime,
    })))
}

/// Parses the URL into options of a connection.
fn parse(url: &str) -> Result<PgConnectOptions> {
    let is_ours = url.starts_with("postgres://") || url.starts_with("postgresql://");
    let target: Option<PgConnectOptions> = is_ours.then(|| url.parse().ok()).flatten();
    let Some(target) = target else {
        // The URL contains the password, so the error doesn't repeat it.
        return Err(Error::new(
            ErrorKind::InvalidRequest,
            "the database URL isn't valid; expected postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters percent-encoded",
        ));
    };
    let is_here = target.get_socket().is_some()
        || target.get_host().starts_with('/')
        || matches!(
            target.get_host(),
            "localhost" | "127.0.0.1" | "::1" | "[::1]"
        );
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let is_told = query.contains("sslmode=") || query.contains("ssl-mode=");
    let target = match target.get_ssl_mode() {
        PgSslMode::Prefer if !is_here && !is_told => target.ssl_mode(PgSslMode::VerifyFull),
        _ => target,
    };
    Ok(target
        // A pooler keeps no sessions. So there are no prepared statements, and no settings that it doesn't pass on.
        .statement_cache_capacity(0)
        .extra_float_digits(None)
        .disable_statement_logging())
}

fn pool(target: &PgConnectOptions, options: &PostgresOptions) -> PgPool {
    PoolOptions::new()
        .max_connections(options.connections.max(1))
        .acquire_timeout(options.wait)
        // The first statement shows whether the connection is still open.
        .test_before_acquire(false)
        // The store itself reports that it waits.
        .acquire_slow_threshold(Duration::MAX)
        .connect_lazy_with(target.clone())
}

fn cannot_open(target: &PgConnectOptions, error: Error) -> Error {
    let message = format!("can't open {}: {}", place(target), error.message());
    Error::new(error.kind(), message)
        .with_retryable(error.retryable())
        .with_source(error)
}

/// Server, database and user, for messages.
fn place(target: &PgConnectOptions) -> String {
    let user = target.get_username();
    let database = target.get_database().unwrap_or(user);
    match target.get_socket() {
        Some(socket) => format!("database {database} at {} as {user}", socket.display()),
        None => format!(
            "database {database} at {}:{} as {user}",
            target.get_host(),
            target.get_port()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_server_is_verified_unless_the_url_says_otherwise() {
        for (url, expected) in [
            ("postgres://u:p@db.example/d", "VerifyFull"),
            ("postgresql://u:p@db.example/d?sslmode=prefer", "Prefer"),
            ("postgres://u:p@db.example/d?sslmode=disable", "Disable"),
            ("postgres://u:p@db.example/d?sslmode=require", "Require"),
            ("postgres://u:p@127.0.0.1/d", "Prefer"),
            ("postgres://u@localhost/d?host=/run/postgresql", "Prefer"),
        ] {
            let mode = parse(url).unwrap().get_ssl_mode();
            assert_eq!(format!("{mode:?}"), expected, "{url}");
        }
    }

    #[test]
    fn a_url_that_cannot_be_read_is_not_shown() {
        for url in [
            "mysql://u:topsecret@db/d",
            "postgres://u:topsecret@db:port/d",
            "postgres://u:topsecret@db/d?sslmode=topsecret",
            "postgres://u:top%ffsecret@db/d",
        ] {
            let error = parse(url).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidRequest);
            assert!(
                !format!("{error:?} {error}").contains("secret"),
                "{error:?}"
            );
        }
    }
}
