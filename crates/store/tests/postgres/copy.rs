//! Copies from a file into a database and back, as `stead store copy` makes them, and refused copies.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    task::Poll,
};

use futures_util::{
    future::{Either, poll_fn, select},
    pin_mut,
};
use stead_core::{
    ErrorKind, Result,
    ports::Spool as _,
    store::{Batch, Commit, Store, Write},
};
use stead_store::{
    Copied, CopyProgress, CopyStep, FileSpool, PostgresStore, SqliteStore, StoreCopy,
};
use stead_testkit::{runtime::ManualClock, store::sample};

use crate::server::{Server, run};

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("copy-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn sqlite(&self, name: &str) -> String {
        format!("sqlite:{}", self.file(name).display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::default())
}

async fn open(file: &Path) -> SqliteStore {
    SqliteStore::open(file, clock()).await.unwrap()
}

async fn insert(store: &dyn Store, numbers: std::ops::Range<u32>) {
    for number in numbers {
        let rows = sample::rows(number).into_iter().map(Write::Insert);
        let batch = rows.fold(Batch::new(), Batch::write);
        assert_eq!(store.commit(batch).await.unwrap(), Commit::Committed);
    }
}

/// A file with this many rows in each table.
async fn filled(file: &Path, rows: u32) {
    let store = open(file).await;
    insert(&store, 1..rows + 1).await;
    store.close().await;
}

async fn copy(from: &str, to: &str) -> Result<Copied> {
    StoreCopy::new(from, to)?.run(clock(), &mut |_| {}).await
}

/// Why a copy is refused.
async fn refused(from: &str, to: &str) -> String {
    let error = copy(from, to).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{error}");
    error.message().to_owned()
}

/// Starts a copy, and drops it at this progress.
async fn dropped_at(from: &str, to: &str, is_far: impl Fn(&CopyProgress) -> bool + Sync) {
    let stop = AtomicBool::new(false);
    let mut told = |come: CopyProgress| {
        if is_far(&come) {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let copy = StoreCopy::new(from, to).unwrap();
    let copying = copy.run(clock(), &mut told);
    let stopped = poll_fn(|_| match stop.load(Ordering::Relaxed) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    });
    pin_mut!(copying, stopped);
    match select(copying, stopped).await {
        Either::Left((done, _)) => panic!("it ended before: {done:?}"),
        Either::Right(_) => {}
    }
}

#[tokio::test]
async fn a_file_is_copied_to_a_server_and_back_and_incomplete_copies_stay_closed() {
    let Some(server) = Server::shared() else {
        return;
    };
    let folder = Folder::new();
    filled(&folder.file("from.db"), 3).await;
    let (from, back) = (folder.sqlite("from.db"), folder.sqlite("back.db"));
    let url = server.url(&server.database().await);

    for table in ["account", "event", "approval"] {
        dropped_at(&from, &url, |come| {
            come.step == CopyStep::Copying && come.table == table
        })
        .await;
        let half = PostgresStore::open(&url, clock()).await.unwrap_err();
        assert_eq!(half.kind(), ErrorKind::StorageUnavailable);
        assert!(half.message().contains("an unfinished copy"), "{half}");
        assert!(half.message().contains("stead store copy"), "{half}");
        let half = copy(&url, &back).await.unwrap_err();
        assert!(half.message().contains("an unfinished copy"), "{half}");
    }
    dropped_at(&from, &url, |come| come.step == CopyStep::Comparing).await;
    let there = copy(&from, &url).await.unwrap();
    assert!(there.resumed_at > 0, "{there:?}");
    assert_eq!(there.from, folder.file("from.db").display().to_string());
    assert!(there.to.contains(" as stead"), "{}", there.to);
    assert!(there.tables.iter().all(|table| table.rows == 3));

    let store = PostgresStore::open(&url, clock()).await.unwrap();
    store.ready().await.unwrap();
    let row = sample::row(sample::table("account"), 2);
    let found = store.get(&row.key()).await.unwrap().unwrap();
    assert_eq!((found.row, found.version), (row, 1));
    store.close().await;

    dropped_at(&url, &back, |come| come.table == "audit").await;
    let error = SqliteStore::open(folder.file("back.db"), clock()).await;
    assert!(error.unwrap_err().message().contains("unfinished copy"));
    let back_again = copy(&url, &back).await.unwrap();
    assert_eq!(back_again.tables, there.tables);
    let store = open(&folder.file("back.db")).await;
    insert(&store, 4..5).await;
}

#[tokio::test]
async fn a_target_must_be_empty() {
    let Some(server) = Server::shared() else {
        return;
    };
    let folder = Folder::new();
    filled(&folder.file("from.db"), 1).await;
    filled(&folder.file("other.db"), 1).await;
    let from = folder.sqlite("from.db");
    let url = server.url(&server.database().await);
    insert(&PostgresStore::open(&url, clock()).await.unwrap(), 1..2).await;
    for to in [&url, &folder.sqlite("other.db"), &from] {
        let why = refused(&from, to).await;
        assert!(why.contains("the target isn't empty"), "{why}");
    }
    // The target of a finished copy isn't empty either.
    let target = folder.sqlite("target.db");
    copy(&from, &target).await.unwrap();
    let why = refused(&from, &target).await;
    assert!(why.contains("the target isn't empty"), "{why}");
    // The target of an unfinished copy is refused for another source.
    let begun = folder.sqlite("begun.db");
    dropped_at(&from, &begun, |come| come.table == "event").await;
    let why = refused(&folder.sqlite("other.db"), &begun).await;
    assert!(why.contains("copy of another database"), "{why}");
}

#[tokio::test]
async fn a_source_of_another_schema_is_not_copied() {
    let Some(server) = Server::shared() else {
        return;
    };
    let folder = Folder::new();
    let to = folder.sqlite("to.db");
    let database = server.database().await;
    let url = server.url(&database);
    assert!(refused(&url, &to).await.contains("is empty"));
    PostgresStore::open(&url, clock()).await.unwrap();
    let mut newer = server.tamper(&database).await;
    run(
        &mut newer,
        "INSERT INTO \"stead_schema_expansion\" VALUES (999, now())",
    )
    .await;
    let why = refused(&url, &to).await;
    assert!(why.contains("version 999"), "{why}");
    assert!(!folder.file("to.db").exists());

    let missing = copy(&folder.sqlite("missing.db"), &url).await.unwrap_err();
    assert!(missing.message().contains("missing.db"), "{missing}");
    assert!(!folder.file("missing.db").exists());

    filled(&folder.file("old.db"), 1).await;
    let mut old = tamper(&folder.file("old.db")).await;
    sqlx::raw_sql("DELETE FROM \"stead_schema_expansion\"; DELETE FROM \"stead_schema\" WHERE \"version\" = (SELECT MAX(\"version\") FROM \"stead_schema\")")
        .execute(&mut old)
        .await
        .unwrap();
    let older = refused(&folder.sqlite("old.db"), &to).await;
    assert!(older.contains("start this Stead on it once"), "{older}");
}

async fn tamper(file: &Path) -> sqlx::SqliteConnection {
    use sqlx::ConnectOptions as _;
    sqlx::sqlite::SqliteConnectOptions::new()
        .filename(file)
        .connect()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_file_that_is_in_use_or_lacks_tokens_is_not_copied() {
    let folder = Folder::new();
    filled(&folder.file("from.db"), 1).await;
    let (from, to) = (folder.sqlite("from.db"), folder.sqlite("to.db"));
    let spool = FileSpool::next_to(folder.file("from.db"));
    spool.enter("service").await.unwrap();
    let why = refused(&from, &to).await;
    assert!(why.contains("stop it first"), "{why}");
    drop(spool);

    let other = FileSpool::new(folder.file("spool"));
    other.put("record", b"tokens").await.unwrap();
    let with_spool = || {
        let copy = StoreCopy::new(&from, &to).unwrap();
        copy.spool(folder.file("spool"))
    };
    let waiting = with_spool().run(clock(), &mut |_| {}).await.unwrap_err();
    assert!(
        waiting.message().contains("tokens that aren't stored yet"),
        "{waiting}"
    );
    other.remove("record").await.unwrap();
    with_spool().run(clock(), &mut |_| {}).await.unwrap();
}

#[tokio::test]
async fn a_file_refuses_writes_while_it_is_copied() {
    let folder = Folder::new();
    filled(&folder.file("from.db"), 1).await;
    let (from, to) = (folder.sqlite("from.db"), folder.sqlite("to.db"));
    let mut other = tamper(&folder.file("from.db")).await;
    sqlx::raw_sql("PRAGMA busy_timeout = 0")
        .execute(&mut other)
        .await
        .unwrap();
    let is_under_way = AtomicBool::new(false);
    let mut told = |_| is_under_way.store(true, Ordering::Relaxed);
    let copy = StoreCopy::new(&from, &to).unwrap();
    let copying = copy.run(clock(), &mut told);
    let under_way = poll_fn(|_| match is_under_way.load(Ordering::Relaxed) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    });
    pin_mut!(copying, under_way);
    let Either::Right(((), copying)) = select(copying, under_way).await else {
        panic!("it ended before it was under way")
    };
    let write = "UPDATE \"stead_state\" SET \"value\" = '0' WHERE \"name\" = 'counter'";
    let refused = sqlx::raw_sql(write).execute(&mut other).await;
    assert!(refused.is_err(), "{refused:?}");
    copying.await.unwrap();
    sqlx::raw_sql(write).execute(&mut other).await.unwrap();
}

#[tokio::test]
async fn the_restore_time_of_a_source_is_copied() {
    let Some(server) = Server::shared() else {
        return;
    };
    let folder = Folder::new();
    filled(&folder.file("first.db"), 1).await;
    let (first, from) = (folder.file("first.db"), folder.file("from.db"));
    stead_store::backup(&first, &from).await.unwrap();
    let url = server.url(&server.database().await);
    copy(&folder.sqlite("from.db"), &url).await.unwrap();
    let at = open(&from).await.restored_at().await.unwrap();
    assert!(at.is_some());
    let store = PostgresStore::open(&url, clock()).await.unwrap();
    assert_eq!(store.restored_at().await.unwrap(), at);
    store.close().await;
    copy(&url, &folder.sqlite("back.db")).await.unwrap();
    let back = open(&folder.file("back.db")).await;
    assert_eq!(back.restored_at().await.unwrap(), at);
}

#[test]
fn a_password_is_never_shown() {
    let url = "postgres://u:topsecret@db.example/d";
    let copy = StoreCopy::new(url, "sqlite:to.db").unwrap();
    assert!(!format!("{copy:?}").contains("topsecret"), "{copy:?}");
    assert!(format!("{copy:?}").contains("database d at db.example:5432 as u"));
    for wrong in [
        "mysql://u:topsecret@db/d",
        "postgres://u:topsecret@db:port/d",
        "topsecret",
        "sqlite:",
    ] {
        let error = StoreCopy::new(wrong, "sqlite:to.db").unwrap_err();
        assert!(
            !format!("{error:?} {error}").contains("topsecret"),
            "{wrong}"
        );
    }
}
