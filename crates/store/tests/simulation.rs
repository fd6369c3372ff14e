//! The histories of the simulation of refreshes over a file of SQLite.
#![cfg(feature = "sqlite")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "how much was played is told")]

use std::{
    future::ready,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;
use stead_core::{
    Result,
    oauth::simulation::{Class, Open, cases, play},
    ports::{BoxFuture, Runtime},
    store::{Batch, Commit, Found, Index, Key, List, Row, Store, Table, Value, Versioned},
};
use stead_store::SqliteStore;

/// The tests run one history of each class for every 80 of `PROPTEST_CASES`, and at least one, because a history
/// makes thousands of queries. By default, they run three.
const OF_CASES: u32 = 80;

/// A store that finishes each operation before it returns. A simulation runs its tasks on an executor of its own, and
/// that executor can't drive a database.
struct Driven {
    store: SqliteStore,
    runtime: Arc<tokio::runtime::Runtime>,
}

impl Driven {
    fn end<'a, T: Send + 'a>(&'a self, work: impl Future<Output = T>) -> BoxFuture<'a, T> {
        Box::pin(ready(self.runtime.block_on(work)))
    }
}

impl Store for Driven {
    fn get<'a>(&'a self, key: &'a Key) -> Found<'a> {
        self.end(self.store.get(key))
    }
    fn find<'a>(&'a self, table: &'static Table, index: Index, values: &'a [Value]) -> Found<'a> {
        self.end(self.store.find(table, index, values))
    }
    fn list<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<Vec<Versioned<Row>>>> {
        self.end(self.store.list(list))
    }
    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        self.end(self.store.commit(batch))
    }
    fn prune<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<u64>> {
        self.end(self.store.prune(list))
    }
    fn now(&self) -> BoxFuture<'_, Result<Timestamp>> {
        self.end(self.store.now())
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        self.runtime.block_on(self.store.close());
    }
}

/// The time of a simulation. It doesn't run the background tasks of a store.
struct TimeOf(Arc<dyn Runtime>);

impl Runtime for TimeOf {
    fn now(&self) -> Timestamp {
        self.0.now()
    }
    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.sleep(duration)
    }
    fn spawn(&self, _: BoxFuture<'static, ()>) {}
}

/// A folder that is deleted at the end of its test, with a file for each history.
struct Files {
    folder: PathBuf,
    number: AtomicU32,
    runtime: Arc<tokio::runtime::Runtime>,
}

impl Files {
    fn new(class: Class) -> Self {
        let name = format!("simulation-{}-{class:?}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        Self {
            folder,
            number: AtomicU32::new(0),
            runtime: Arc::new(runtime.unwrap()),
        }
    }

    /// Opens the file of one history, any number of times.
    fn next(&self, time: Arc<dyn Runtime>) -> Open {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("{number}.db"));
        let runtime = Arc::clone(&self.runtime);
        let time = Arc::new(TimeOf(time));
        Box::new(move || {
            let opened = SqliteStore::open(&path, Arc::clone(&time) as Arc<dyn Runtime>);
            let store = runtime.block_on(opened).unwrap();
            let runtime = Arc::clone(&runtime);
            Arc::new(Driven { store, runtime })
        })
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // Anything that stays is in the target folder.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn histories(class: Class) {
    let count = (cases() / OF_CASES).max(1);
    let files = Files::new(class);
    let reached = play(class, count, |time| files.next(time));
    println!("{class:?} over SQLite: {reached}");
    assert_eq!(reached.histories, count);
    assert!(reached.refreshes >= count, "{reached}");
}

#[test]
fn a_stable_grant_never_loses_an_account() {
    histories(Class::Stable);
}

#[test]
fn a_rotating_grant_loses_an_account_only_with_a_reason() {
    histories(Class::Rotating);
}

#[test]
fn a_grant_with_a_grace_period_loses_an_account_only_with_a_reason() {
    histories(Class::Grace);
}

#[test]
fn a_strict_grant_reuses_a_refresh_token_only_with_a_reason() {
    histories(Class::Strict);
}
