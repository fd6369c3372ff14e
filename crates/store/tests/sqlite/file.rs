//! What happens to the file: other programs write to it, and secrets have to be gone from it.

use std::{fs, time::Duration};

use crate::scratch::{Scratch, all, clock, event, insert, run};
use futures_util::future::join_all;
use stead_core::{
    ErrorKind,
    store::{Batch, Commit, List, Row, Store as _, Write},
};
use stead_store::{SqliteOptions, SqliteStore};
use stead_testkit::{runtime::ManualClock, store::sample};

async fn commit(store: &SqliteStore, batch: Batch) {
    assert_eq!(store.commit(batch).await.unwrap(), Commit::Committed);
}

fn row(table: &str, number: u32) -> Row {
    sample::row(sample::table(table), number)
}

fn update(row: Row, version: u64) -> Batch {
    Batch::new().write(Write::Update(row, version))
}

#[tokio::test]
async fn two_handles_see_and_guard_each_others_writes() {
    let scratch = Scratch::new();
    let (one, other) = (scratch.open().await, scratch.open().await);
    let account = row("account", 1);
    let version = async |store: &SqliteStore| {
        let found = store.get(&account.key()).await.unwrap();
        found.map(|found| found.version)
    };
    commit(&one, insert([account.clone()])).await;
    assert_eq!(version(&other).await, Some(1));
    commit(&other, update(account.clone(), 1)).await;
    let late = one.commit(update(account.clone(), 1)).await.unwrap();
    assert_eq!(late, Commit::Conflict);
    assert_eq!(version(&one).await, Some(2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_handles_lose_no_update() {
    const EACH: u32 = 20;
    let scratch = Scratch::new();
    let stores = [scratch.open().await, scratch.open().await];
    let mut counter = row("outbox", 1);
    counter.body = String::from("0");
    let key = counter.key();
    commit(&stores[0], insert([counter])).await;
    let count = async |store: &SqliteStore| {
        for _ in 0..EACH {
            loop {
                let mut found = store.get(&key).await.unwrap().unwrap();
                let count: u32 = found.row.body.parse().unwrap();
                found.row.body = (count + 1).to_string();
                let batch = update(found.row, found.version);
                if store.commit(batch).await.unwrap() == Commit::Committed {
                    break;
                }
            }
        }
    };
    join_all(stores.iter().chain(&stores).map(count)).await;
    let found = stores[1].get(&key).await.unwrap().unwrap();
    assert_eq!(found.row.body, (4 * EACH).to_string());
}

#[tokio::test]
async fn a_long_writer_makes_others_wait_and_then_fail() {
    let scratch = Scratch::new();
    let options = SqliteOptions::default().with_busy_wait(Duration::from_millis(300));
    let store = SqliteStore::open_with(scratch.file(), clock(), options)
        .await
        .unwrap();
    commit(&store, insert([event(1)])).await;
    let mut other = scratch.tamper().await;
    run(&mut other, "BEGIN IMMEDIATE").await;

    let error = store.commit(insert([event(2)])).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "storage_unavailable: the store doesn't respond: its file is locked by another program"
    );
    let list = List::new(event(1).table, event(1).table.key);
    let refused = store.prune(&list).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::StorageUnavailable);
    // Reads still work.
    assert_eq!(all(&store, "event").await.len(), 1);
    run(&mut other, "ROLLBACK").await;
    commit(&store, insert([event(2)])).await;
}

#[tokio::test]
async fn a_long_reader_does_not_block_writers() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    let credential = row("credential", 1);
    commit(&store, insert([credential.clone()])).await;
    let mut other = scratch.tamper().await;
    run(&mut other, "BEGIN").await;
    sqlx::query("SELECT * FROM \"credential\"")
        .fetch_all(&mut other)
        .await
        .unwrap();
    // The reader doesn't even delay a write that empties the log.
    commit(&store, update(credential, 1)).await;
}

#[tokio::test]
async fn two_rows_of_one_batch_conflict_over_a_unique_value() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    let first = row("connection", 1);
    let second = sample::with(row("connection", 2), "name", first.value("name").clone());
    let batch = insert([first, second]);
    assert_eq!(store.commit(batch).await.unwrap(), Commit::Conflict);
    assert!(all(&store, "connection").await.is_empty());
}

#[tokio::test]
async fn shredding_removes_ciphertext_from_the_files() {
    let scratch = Scratch::new();
    let clock = ManualClock::default();
    let store = scratch.open_at(&clock).await;
    let marker = "ZWVl".repeat(20);
    // One copy fits into a page of the file, and the other doesn't.
    let credentials = [(1, 300), (2, 20_000)].map(|(number, length)| {
        let mut credential = row("credential", number);
        credential.body = format!("{{\"sealed\":\"{}\"}}", "ZWVl".repeat(length / 3));
        credential
    });
    for delete in [false, true] {
        clock.advance(Duration::from_secs(1));
        clock.run_spawned().await;
        clock.advance(Duration::from_secs(1));
        commit(&store, insert(credentials.clone())).await;
        assert!(lingers(&scratch, &marker));
        let deleting = |version| {
            let keys = credentials.iter().map(Row::key);
            keys.fold(Batch::new(), |batch, key| batch.delete(key, version))
        };
        if delete {
            commit(&store, deleting(1)).await;
        } else {
            let shredded = credentials.clone().map(|mut credential| {
                credential.body = String::from("{\"sealed\":null}");
                Write::Update(credential, 1)
            });
            commit(
                &store,
                shredded.into_iter().fold(Batch::new(), Batch::write),
            )
            .await;
        }
        assert!(!lingers(&scratch, &marker));
        if !delete {
            commit(&store, deleting(2)).await;
        }
    }
}

#[tokio::test]
async fn many_shreddings_within_a_second_empty_the_log_together() {
    let scratch = Scratch::new();
    let clock = ManualClock::default();
    let store = scratch.open_at(&clock).await;
    let sealed = |number: u32| format!("{{\"sealed\":\"{}\"}}", format!("{number}ZWVl").repeat(9));
    for number in 0..5 {
        let mut credential = row("credential", number);
        credential.body = sealed(number);
        commit(&store, insert([credential.clone()])).await;
        credential.body = String::from("{}");
        commit(&store, update(credential, 1)).await;
    }
    let left = |number| lingers(&scratch, &sealed(number));
    assert_eq!([0, 1, 2, 3, 4].map(left), [false, true, true, true, true]);
    assert_eq!(clock.spawned(), 1, "one sweep for all of them");
    clock.advance(Duration::from_secs(1));
    clock.run_spawned().await;
    assert_eq!([0, 1, 2, 3, 4].map(left), [false; 5]);
}

/// Whether any file of the store contains a text.
fn lingers(scratch: &Scratch, text: &str) -> bool {
    fs::read_dir(scratch.path()).unwrap().any(|entry| {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    })
}
