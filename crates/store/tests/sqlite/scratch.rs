//! A folder of a test's own, and helpers that change the file in it.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use sqlx::{AssertSqlSafe, ConnectOptions as _, SqliteConnection, sqlite::SqliteConnectOptions};
use stead_core::{
    ports::Runtime,
    store::{Batch, List, Row, Store as _, Write},
};
use stead_store::SqliteStore;
use stead_testkit::{runtime::ManualClock, store::sample};

/// A folder that is deleted at the end of the test.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("store-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The file that a test uses.
    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("stead.db")
    }

    /// A store in that file.
    pub(crate) async fn open(&self) -> SqliteStore {
        SqliteStore::open(self.file(), clock()).await.unwrap()
    }

    /// A store in that file, on a clock of the test's own.
    pub(crate) async fn open_at(&self, clock: &ManualClock) -> SqliteStore {
        let runtime = Arc::new(clock.clone());
        SqliteStore::open(self.file(), runtime).await.unwrap()
    }

    /// A connection that belongs to no store, for tampering.
    pub(crate) async fn tamper(&self) -> SqliteConnection {
        SqliteConnectOptions::new()
            .filename(self.file())
            .create_if_missing(true)
            .connect()
            .await
            .unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Anything that stays is in the target folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn clock() -> Arc<dyn Runtime> {
    Arc::new(ManualClock::default())
}

/// A batch that inserts rows.
pub(crate) fn insert(rows: impl IntoIterator<Item = Row>) -> Batch {
    let writes = rows.into_iter().map(Write::Insert);
    writes.fold(Batch::new(), Batch::write)
}

/// A row of the table of events.
pub(crate) fn event(number: u32) -> Row {
    sample::row(sample::table("event"), number)
}

/// All rows of a table.
pub(crate) async fn all(store: &SqliteStore, table: &str) -> Vec<Row> {
    let table = sample::table(table);
    let found = store.list(&List::new(table, table.key)).await.unwrap();
    found.into_iter().map(|found| found.row).collect()
}

/// Runs a statement, and returns how many rows the last change affected.
pub(crate) async fn run(connection: &mut SqliteConnection, sql: &str) -> u64 {
    sqlx::query(AssertSqlSafe(sql.to_owned()))
        .execute(connection)
        .await
        .unwrap()
        .rows_affected()
}
