//! Opening the file: who may read it, how it is written, and whether it is ours.

use std::{fs, io, path::Path, sync::Arc, time::Duration};

use sqlx::{
    ConnectOptions as _, Connection as _, Row as _, SqliteConnection, SqlitePool,
    pool::PoolOptions,
    sqlite::{SqliteConnectOptions, SqliteSynchronous},
};
use stead_core::{Error, ErrorKind, Result, ports::Runtime};

use super::{
    Sqlite, SqliteStore,
    fault::{is_busy, unavailable},
    migrate::{MIGRATIONS, migrate},
};

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
    /// Opens a file, and makes it where there is none: readable only by its owner, with the present schema. An older
    /// schema is brought up to date.
    ///
    /// # Errors
    /// [`ErrorKind::StorageUnavailable`] where the file cannot be made, read or written, is not a SQLite database, or
    /// belongs to another program or to a newer Stead. The message names the file.
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
        let path = path.as_ref();
        match prepare(path, &*runtime, &options).await {
            Ok(engine) => Ok(Self { engine, runtime }),
            Err(error) => {
                let message = format!("cannot open {}: {}", path.display(), error.message());
                Err(Error::new(error.kind(), message).with_source(error))
            }
        }
    }

    /// Finishes what is being written, and closes the file. Later calls fail; not closing it loses nothing.
    pub async fn close(&self) {
        self.engine.close().await;
    }
}

async fn prepare(path: &Path, runtime: &dyn Runtime, options: &SqliteOptions) -> Result<Sqlite> {
    // SQLite would read a name that starts with "file:" as an address; an absolute path cannot.
    let path = std::path::absolute(path).map_err(unusable)?;
    create(&path)?;

    let connect = |busy_wait| {
        SqliteConnectOptions::new()
            .filename(&path)
            .busy_timeout(busy_wait)
            .foreign_keys(true)
            .synchronous(SqliteSynchronous::Full)
            .pragma("secure_delete", "ON")
            .disable_statement_logging()
    };
    let pool = || {
        PoolOptions::new()
            .acquire_timeout(options.busy_wait)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
    };
    let writer: SqlitePool = pool()
        .max_connections(1)
        .connect_with(connect(options.busy_wait))
        .await
        .map_err(unavailable)?;
    let engine = Sqlite {
        readers: pool()
            .max_connections(options.readers.max(1))
            .connect_lazy_with(connect(options.busy_wait).pragma("query_only", "ON")),
        sweeper: pool()
            .max_connections(1)
            .connect_lazy_with(connect(SWEEP_WAIT)),
        writer,
    };
    match configure(&engine, runtime).await {
        Ok(()) => Ok(engine),
        Err(error) => {
            engine.close().await;
            Err(error)
        }
    }
}

/// Makes an empty file for its owner only. A file that exists is not touched: closing it again here would take away
/// the locks that this process may hold on it (SQLite, How To Corrupt An SQLite Database File, 2.2).
fn create(path: &Path) -> Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => inspect(path),
        Err(error) => Err(unusable(error)),
    }
}

fn inspect(path: &Path) -> Result<()> {
    let metadata = fs::metadata(path).map_err(unusable)?;
    if !metadata.is_file() {
        return Err(Error::new(
            ErrorKind::StorageUnavailable,
            "it is not a file",
        ));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if metadata.permissions().mode() & 0o077 != 0 {
            tracing::warn!(path = %path.display(), "others than its owner have access to the store's file");
        }
    }
    Ok(())
}

/// Brings the schema up to date, turns the write-ahead log on, and empties what an earlier process left in it. The
/// schema comes first: a file that is not ours stays as it is.
async fn configure(engine: &Sqlite, runtime: &dyn Runtime) -> Result<()> {
    let mut connection = engine.writer.acquire().await.map_err(unavailable)?;
    migrate(&mut connection, MIGRATIONS, runtime.now()).await?;
    let mode = write_ahead(&mut connection).await.map_err(unavailable)?;
    if mode != "wal" {
        return Err(Error::new(
            ErrorKind::StorageUnavailable,
            "its file system keeps no write-ahead log",
        ));
    }
    drop(connection);
    engine.sweep().await;
    Ok(())
}

/// Turns the write-ahead log on; returns the mode that the file is in then.
///
/// Of several that do so to a new file, SQLite lets one wait for its turn and refuses the others at once. These queue as
/// writers do, and find it done.
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

fn unusable(error: io::Error) -> Error {
    Error::new(ErrorKind::StorageUnavailable, error.to_string()).with_source(error)
}
