//! Opens the file: who can read it, how it's written, and whether it belongs to Stead.

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use sqlx::{
    ConnectOptions as _, Connection as _, Row as _, SqliteConnection, SqlitePool,
    pool::PoolOptions,
    sqlite::{SqliteConnectOptions, SqliteSynchronous},
};
use stead_core::{Error, ErrorKind, Result, ports::Runtime};

use super::{
    Parts, Sqlite, SqliteStore,
    fault::{is_busy, is_unwritable, unavailable},
    file::{DatabaseFile, close_to_others, why_read_only},
    migrate::{MIGRATIONS, is_new, migrate},
    state::State,
    writer::Writer,
};
use crate::unfinished;

/// How long emptying the write-ahead log waits for readers.
const SWEEP_WAIT: Duration = Duration::from_millis(100);

/// How often a process that opens a new file waits for others that open it too.
const MOST_TURNS: u32 = 100;

/// How a file is opened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SqliteOptions {
    /// Longest wait for a turn to write, first in this process and then between processes. Defaults to 5 s.
    pub busy_wait: Duration,
    /// Maximum number of concurrent reading connections. Each has its own thread. Defaults to 4.
    pub readers: u32,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            busy_wait: Duration::from_secs(5),
            readers: 4,
        }
    }
}

impl SqliteOptions {
    /// Sets the longest wait for a turn to write.
    #[must_use]
    pub fn with_busy_wait(mut self, busy_wait: Duration) -> Self {
        self.busy_wait = busy_wait;
        self
    }
    /// Sets the number of connections that read at the same time, at least 1.
    #[must_use]
    pub fn with_readers(mut self, readers: u32) -> Self {
        self.readers = readers.max(1);
        self
    }
}

impl SqliteStore {
    /// Opens a file, and creates it with the current schema if it doesn't exist. An older schema is upgraded.
    ///
    /// Only its owner can read the file. If others can read an existing file, Stead changes that, or refuses the file
    /// if it can't.
    ///
    /// # Errors
    /// - [`ErrorKind::StorageUnavailable`] if the file can't be created, read or written, or isn't a SQLite database.
    /// - The same kind if it belongs to another program or to a newer Stead, or has an unfinished copy of another
    ///   database.
    ///
    /// The message names the file.
    pub async fn open(path: impl AsRef<Path>, runtime: Arc<dyn Runtime>) -> Result<Self> {
        Self::open_with(path, runtime, SqliteOptions::default()).await
    }

    /// Opens a file like [`open`](Self::open), with options.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub async fn open_with(
        path: impl AsRef<Path>,
        runtime: Arc<dyn Runtime>,
        options: SqliteOptions,
    ) -> Result<Self> {
        Self::open_for(path.as_ref(), runtime, options, false).await
    }

    /// The same, but also accepts the target of an unfinished copy.
    pub(crate) async fn open_for(
        path: &Path,
        runtime: Arc<dyn Runtime>,
        options: SqliteOptions,
        to_copy_into: bool,
    ) -> Result<Self> {
        let opened = match prepare(path, runtime, &options).await {
            Ok(engine) if to_copy_into => Ok(engine),
            Ok(engine) => match unfinished::refuse(&engine).await {
                Ok(()) => Ok(engine),
                Err(error) => {
                    engine.close().await;
                    Err(error)
                }
            },
            Err(error) => Err(error),
        };
        match opened {
            Ok(engine) => Ok(Self { engine }),
            Err(error) => {
                let read_only = is_unwritable(&error).then(|| why_read_only(path)).flatten();
                let why = read_only.as_deref().unwrap_or(error.message());
                let message = format!("can't open {}: {why}", path.display());
                Err(Error::new(error.kind(), message).with_source(error))
            }
        }
    }

    /// Finishes running writes, and closes the file. Later calls fail. Nothing is lost if you don't call it.
    pub async fn close(&self) {
        self.engine.close().await;
    }
}

async fn prepare(
    path: &Path,
    runtime: Arc<dyn Runtime>,
    options: &SqliteOptions,
) -> Result<Sqlite> {
    let file = DatabaseFile::create(path)?;
    let connect = |busy_wait| {
        SqliteConnectOptions::new()
            .filename(&file.path)
            .busy_timeout(busy_wait)
            .foreign_keys(true)
            .synchronous(SqliteSynchronous::Full)
            .pragma("secure_delete", "ON")
            // For macOS only. Without it, the disk may keep writes in its cache.
            .pragma("fullfsync", "ON")
            .pragma("checkpoint_fullfsync", "ON")
            .disable_statement_logging()
    };
    let pool = || {
        PoolOptions::new()
            .acquire_timeout(options.busy_wait)
            .idle_timeout(None)
            .max_lifetime(None)
            .acquire_slow_threshold(Duration::MAX)
            .test_before_acquire(false)
    };
    let writer: SqlitePool = pool()
        .max_connections(1)
        .connect_with(connect(options.busy_wait))
        .await
        .map_err(unavailable)?;
    let readers = pool()
        .max_connections(options.readers.max(1))
        .connect_lazy_with(connect(options.busy_wait).pragma("query_only", "ON"));
    let sweeper = pool()
        .max_connections(1)
        .connect_lazy_with(connect(SWEEP_WAIT));
    match configure(&writer, &readers, &file, &*runtime).await {
        Ok(state) => {
            let engine = Sqlite(Arc::new(Parts {
                file,
                readers,
                writer: Writer::new(writer),
                sweeper,
                sweeps: Mutex::default(),
                probe: futures_util::lock::Mutex::default(),
                schema_seen: Mutex::default(),
                state,
                runtime,
            }));
            // An earlier process may have left data in the log.
            engine.sweep().await;
            Ok(engine)
        }
        Err(error) => {
            readers.close().await;
            writer.close().await;
            Err(error)
        }
    }
}

/// Upgrades the schema, turns on the write-ahead log, and checks whether the database is an old copy. The schema comes
/// first, so that a file that isn't Stead's stays unchanged.
async fn configure(
    writer: &SqlitePool,
    readers: &SqlitePool,
    file: &DatabaseFile,
    runtime: &dyn Runtime,
) -> Result<State> {
    let mut connection = writer.acquire().await.map_err(unavailable)?;
    is_new(&mut connection).await?;
    close_to_others(&file.path)?;
    migrate(&mut connection, MIGRATIONS, runtime.now()).await?;
    let mode = write_ahead(&mut connection).await.map_err(unavailable)?;
    if mode != "wal" {
        return Err(Error::new(
            ErrorKind::StorageUnavailable,
            "its file system doesn't support a write-ahead log",
        ));
    }
    // One reader stays open, so that the index of the log exists even while the disk is full.
    drop(readers.acquire().await.map_err(unavailable)?);
    State::open(
        &mut connection,
        &file.path,
        runtime.now(),
        runtime.monotonic(),
    )
    .await
    .map_err(Error::from)
}

/// Turns on the write-ahead log, and returns the mode that the file is in then.
///
/// If several processes do this to a new file, SQLite lets one wait for its turn and refuses the others immediately.
/// These queue like writers do, and then find it done.
async fn write_ahead(connection: &mut SqliteConnection) -> sqlx::Result<String> {
    let mut turns = 0;
    loop {
        let response = sqlx::query("PRAGMA journal_mode = WAL")
            .fetch_one(&mut *connection)
            .await;
        match response {
            Err(error) if is_busy(&error) && turns < MOST_TURNS => {
                turns += 1;
                connection
                    .begin_with("BEGIN IMMEDIATE")
                    .await?
                    .rollback()
                    .await?;
            }
            response => return response.and_then(|row| row.try_get(0)),
        }
    }
}
