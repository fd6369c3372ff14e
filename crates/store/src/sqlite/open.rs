//! Opening the file: who may read it, how it is written, and whether it is ours.

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

/// How long emptying the write-ahead log waits for whoever reads it.
const SWEEP_WAIT: Duration = Duration::from_millis(100);

/// How often an opener of a new file queues behind others that open it too.
const MOST_TURNS: u32 = 100;

/// How a file is opened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SqliteOptions {
    /// Longest wait for a turn to write, first in this process and then between processes; 5 s unless told.
    pub busy_wait: Duration,
    /// Most connections that read at the same time, a thread each; 4 unless told.
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
    /// Sets how many connections read at the same time; at least 1.
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

    /// Opens a file as [`open`](Self::open) does, in another way than usual.
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

    /// The same, also where the file is the target of a copy that is not finished.
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

    /// Finishes what is being written, and closes the file. Later calls fail; not closing it loses nothing.
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
            // macOS only: without it the disk may keep what it was told to write to itself.
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
            // What an earlier process left in the log.
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

/// Brings the schema up to date, turns the write-ahead log on, and looks whether the database is an old copy. The
/// schema comes first: a file that is not ours stays as it is.
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
    // One reader stays open: the index of the log is then there also while the disk is full.
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

/// Turns the write-ahead log on; returns the mode that the file is in then.
///
/// Of several that do so to a new file, SQLite lets one wait for its turn and refuses the others at once. These queue
/// as writers do, and find it done.
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
