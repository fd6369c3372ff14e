//! A folder of a test's own, and what tests do to the file in it.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use sqlx::{AssertSqlSafe, ConnectOptions as _, SqliteConnection, sqlite::SqliteConnectOptions};
use stead_core::ports::Runtime;
use stead_store::SqliteStore;
use stead_testkit::runtime::ManualClock;

/// A folder that ends with the test.
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

    /// A connection of nobody's, for tampering.
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
        // What is left lies in the target folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn clock() -> Arc<dyn Runtime> {
    Arc::new(ManualClock::default())
}

/// Runs a statement; how many rows the last change affected.
pub(crate) async fn run(connection: &mut SqliteConnection, sql: &str) -> u64 {
    sqlx::query(AssertSqlSafe(sql.to_owned()))
        .execute(connection)
        .await
        .unwrap()
        .rows_affected()
}
