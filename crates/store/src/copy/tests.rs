//! Copies that are interrupted at every page, between engines of both kinds.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use jiff::Timestamp;
use stead_core::{
    Error, ErrorKind, Result,
    ports::BoxFuture,
    store::{Batch, Commit, Key, List, Store as _, TABLES, Value, Write},
};
use stead_testkit::{runtime::ManualClock, store::sample};

use super::{
    PageSize,
    compare::{TableCopy, digest},
    end::End,
    run::Run,
};
use crate::{
    SqlStore, SqliteStore,
    engine::{Engine, Held, StateSql, Statement, Step},
    sqlite::SqliteOptions,
};

const SMALL: PageSize = PageSize {
    rows: 2,
    bytes: 1_000_000,
};

/// A folder that is deleted at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("stead-copy-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

async fn file(path: &Path) -> SqliteStore {
    let (clock, options) = (Arc::new(ManualClock::default()), SqliteOptions::default());
    SqliteStore::open_for(path, clock, options, true)
        .await
        .unwrap()
}

/// Inserts rows into all tables, with versions, nulls, texts that are easily confused, and positions that aren't in use
/// any more.
async fn fill<E: Engine>(store: &SqlStore<E>) {
    let write = async |write: Write| {
        let done = store.commit(Batch::new().write(write)).await.unwrap();
        assert_eq!(done, Commit::Committed);
    };
    for table in TABLES {
        for number in 1..=3 {
            write(Write::Insert(sample::row(table, number))).await;
        }
        write(Write::Insert(sample::bare_row(table, 4))).await;
        for version in 1..=3 {
            write(Write::Update(sample::row(table, 2), version)).await;
        }
    }
    for (text, number) in sample::hostile_texts().into_iter().zip(10..) {
        let row = sample::row(sample::table("connection"), number);
        let mut row = sample::with(row, "name", sample::text(text));
        if number == 10 {
            row = sample::with(row, "name", sample::text("a\0b\u{1}c"));
        }
        write(Write::Insert(row)).await;
    }
    let event = sample::row(sample::table("event"), 90);
    let event = sample::with(event, "position", Value::Null);
    let key: Key = event.key();
    write(Write::Insert(event)).await;
    write(Write::Delete(key, 1)).await;
}

/// A target that accepts one write of each run. Every other run commits the write that it reports as failed.
struct Failing<'a> {
    end: &'a dyn End,
    taken: Mutex<u32>,
    writes_all_the_same: bool,
}

impl End for Failing<'_> {
    fn read(&self, query: Statement) -> BoxFuture<'_, Result<Vec<Vec<Option<Value>>>>> {
        self.end.read(query)
    }
    fn write(&self, steps: Vec<Step>) -> BoxFuture<'_, Result<Commit>> {
        let number = {
            let mut taken = self.taken.lock().unwrap();
            *taken += 1;
            *taken
        };
        if number == 1 {
            return self.end.write(steps);
        }
        Box::pin(async move {
            if self.writes_all_the_same {
                let _ = self.end.write(steps).await?;
            }
            Err(Error::new(ErrorKind::StorageUnavailable, "interrupted"))
        })
    }
    fn hold(&self) -> BoxFuture<'_, Result<Option<Held>>> {
        self.end.hold()
    }
    fn restored_at(&self) -> Option<Timestamp> {
        self.end.restored_at()
    }
    fn sql(&self) -> StateSql {
        self.end.sql()
    }
}

async fn attempt(from: &dyn End, to: &dyn End, size: PageSize) -> Result<Vec<TableCopy>> {
    let mut run = Run::begin(from, to, size).await?;
    run.copy(&mut |_| {}).await?;
    let tables = run.compare(&mut |_| {}).await?;
    run.finish().await?;
    Ok(tables)
}

/// Copies with an interruption at every write. Returns how many there were.
async fn interrupted(from: &dyn End, to: &dyn End) -> usize {
    let mut times = 0;
    loop {
        let failing = Failing {
            end: to,
            taken: Mutex::default(),
            writes_all_the_same: times % 2 == 1,
        };
        match attempt(from, &failing, SMALL).await {
            Ok(_) => return times,
            Err(error) => assert_eq!(error.message(), "interrupted"),
        }
        times += 1;
        assert!(times < 1_000, "it never ends");
    }
}

async fn digests(end: &dyn End) -> Vec<TableCopy> {
    let mut all = Vec::new();
    for table in TABLES {
        all.push(digest(end, table, SMALL, |_| {}).await.unwrap());
    }
    all
}

/// Copies one store into another, and checks that both are the same and give the event with this number the same next
/// position.
async fn copies<A: Engine, B: Engine>(from: &SqlStore<A>, to: &SqlStore<B>, number: u32) {
    let times = interrupted(&from.engine, &to.engine).await;
    // The mark and at least two pages of each table are written. Every other write needs no second run.
    assert!(times > TABLES.len(), "{times}");
    let expected = digests(&from.engine).await;
    assert_eq!(digests(&to.engine).await, expected);
    assert!(expected.iter().all(|table| table.rows >= 4), "{expected:?}");
    for table in TABLES {
        let list = List::new(table, table.key);
        let rows = |listed: Vec<stead_core::store::Versioned<_>>| {
            let rows = listed.into_iter().map(|found| (found.row, found.version));
            rows.collect::<Vec<_>>()
        };
        let one = rows(from.list(&list).await.unwrap());
        assert_eq!(rows(to.list(&list).await.unwrap()), one);
        assert!(
            one.iter().any(|(_, version)| *version == 4),
            "versions go along"
        );
    }
    let last: Vec<_> = [
        position_of_next(from, number).await,
        position_of_next(to, number).await,
    ]
    .into();
    assert_eq!(last[0], last[1]);
}

async fn position_of_next<E: Engine>(store: &SqlStore<E>, number: u32) -> Value {
    let event = sample::row(sample::table("event"), number);
    let event = sample::with(event, "position", Value::Null);
    let key = event.key();
    let insert = Batch::new().write(Write::Insert(event));
    assert_eq!(store.commit(insert).await.unwrap(), Commit::Committed);
    let found = store.get(&key).await.unwrap().unwrap();
    found.row.value("position").clone()
}

#[tokio::test]
async fn an_interrupted_copy_to_a_file_resumes() {
    let folder = Folder::new();
    let from = file(&folder.file("from.db")).await;
    let to = file(&folder.file("to.db")).await;
    fill(&from).await;
    copies(&from, &to, 91).await;
}

#[cfg(all(feature = "postgres", unix))]
#[tokio::test]
async fn an_interrupted_copy_to_a_server_and_back_resumes() {
    use crate::postgres::PostgresStore;
    let Some(server) = stead_test_postgres::Server::shared() else {
        return;
    };
    let folder = Folder::new();
    let from = file(&folder.file("from.db")).await;
    let back = file(&folder.file("back.db")).await;
    let url = server.url(&server.database());
    let clock = Arc::new(ManualClock::default());
    let to = PostgresStore::open(&url, clock).await.unwrap();
    fill(&from).await;
    copies(&from, &to, 91).await;
    copies(&to, &back, 92).await;
}

#[tokio::test]
async fn a_page_is_limited_in_bytes_and_a_longer_row_has_its_own() {
    let folder = Folder::new();
    let store = file(&folder.file("from.db")).await;
    let table = sample::table("connection");
    for number in 1..=6 {
        let mut row = sample::row(table, number);
        row.body = "ü".repeat(if number == 4 { 500 } else { 50 });
        let batch = Batch::new().write(Write::Insert(row));
        assert_eq!(store.commit(batch).await.unwrap(), Commit::Committed);
    }
    let size = PageSize {
        rows: 10,
        bytes: 200,
    };
    let mut pages = super::end::Pages::new(&store.engine, table, size, None);
    let mut numbers = Vec::new();
    loop {
        let page = pages.next().await.unwrap();
        if page.is_empty() {
            break;
        }
        numbers.push(page.len());
    }
    // 100 bytes each, and 1,000 in the fourth.
    assert_eq!(numbers, [2, 2, 2]);
}

#[tokio::test]
async fn a_copy_with_differences_names_them_and_keeps_the_target_closed() {
    let table = sample::table("account");
    let third = sample::row(table, 3);
    let mut changed = third.clone();
    changed.body = String::from("{}");
    let delete = Write::Delete(third.key(), 1);
    let insert = Write::Insert(sample::row(table, 5));
    let in_target = |change: Write| (change, true);
    for ((change, is_in_target), expected) in [
        (
            in_target(Write::Update(changed.clone(), 1)),
            "differs between the two",
        ),
        (in_target(delete.clone()), "is only in the source"),
        (in_target(insert.clone()), "is only in the target"),
        (
            (Write::Update(changed, 1), false),
            "differs between the two",
        ),
        ((delete, false), "is only in the target"),
        ((insert, false), "is only in the source"),
    ] {
        let folder = Folder::new();
        let from = file(&folder.file("from.db")).await;
        let path = folder.file("to.db");
        let to = file(&path).await;
        fill(&from).await;
        let mut run = Run::begin(&from.engine, &to.engine, SMALL).await.unwrap();
        run.copy(&mut |_| {}).await.unwrap();
        let key = change.key();
        let changed = if is_in_target { &to } else { &from };
        let done = changed.commit(Batch::new().write(change)).await.unwrap();
        assert_eq!(done, Commit::Committed);
        let error = run.compare(&mut |_| {}).await.unwrap_err();
        let Value::Text(id) = &key.values[0] else {
            panic!("the key of an account is a text")
        };
        let named = format!("the row account {id} {expected}");
        assert!(error.message().contains(&named), "{error}: {named}");
        let clock = Arc::new(ManualClock::default());
        let closed = SqliteStore::open(&path, clock).await.unwrap_err();
        assert!(closed.message().contains("an unfinished copy"), "{closed}");
    }
}

#[tokio::test]
async fn a_second_copy_into_the_same_target_stops() {
    let folder = Folder::new();
    let from = file(&folder.file("from.db")).await;
    let to = file(&folder.file("to.db")).await;
    fill(&from).await;
    let mut one = Run::begin(&from.engine, &to.engine, SMALL).await.unwrap();
    let mut other = Run::begin(&from.engine, &to.engine, SMALL).await.unwrap();
    one.copy(&mut |_| {}).await.unwrap();
    let error = other.copy(&mut |_| {}).await.unwrap_err();
    assert!(
        error.message().contains("changed during the copy"),
        "{error}"
    );
    one.compare(&mut |_| {}).await.unwrap();
    one.finish().await.unwrap();
}

/// A table that isn't in the list wouldn't be copied.
#[tokio::test]
async fn every_table_is_copied_or_describes_the_database_itself() {
    let folder = Folder::new();
    let store = file(&folder.file("from.db")).await;
    let names = "SELECT \"name\" FROM \"sqlite_master\" WHERE \"type\" = 'table' ORDER BY 1";
    let names = Statement {
        sql: names.to_owned(),
        values: Vec::new(),
    };
    let rest: Vec<String> = End::read(&store.engine, names)
        .await
        .unwrap()
        .into_iter()
        .filter_map(|row| match row.into_iter().next().flatten() {
            Some(Value::Text(name)) => Some(name),
            _ => None,
        })
        .filter(|name| TABLES.iter().all(|table| table.name != name))
        .collect();
    assert_eq!(
        rest,
        [
            "sqlite_sequence",
            "stead_schema",
            "stead_schema_expansion",
            "stead_state"
        ]
    );
}
