//! What happens to the file: others that write it, rows that cannot be stored, secrets that have to be gone.

use std::{fs, time::Duration};

use crate::scratch::{Scratch, clock, run};
use futures_util::{FutureExt as _, future::join_all};
use serde_json::{Value, json};
use stead_core::{
    ErrorKind,
    store::{Batch, Commit, CredentialRow, Horizon, RowKey, Sealed, Store},
};
use stead_store::{SqliteOptions, SqliteStore};
use stead_testkit::store::sample;

async fn commit(store: &SqliteStore, batch: Batch) {
    assert_eq!(store.commit(batch).await.unwrap(), Commit::Committed);
}

#[tokio::test]
async fn two_handles_see_and_guard_each_others_writes() {
    let scratch = Scratch::new();
    let (one, other) = (scratch.open().await, scratch.open().await);
    commit(&one, Batch::new().insert(sample::account(1))).await;
    assert_eq!(
        other
            .account(sample::account_id(1))
            .await
            .unwrap()
            .unwrap()
            .version,
        1
    );
    commit(&other, Batch::new().update(sample::account(1), 1)).await;
    assert_eq!(
        one.commit(Batch::new().update(sample::account(1), 1))
            .await
            .unwrap(),
        Commit::Conflict
    );
    assert_eq!(
        one.account(sample::account_id(1))
            .await
            .unwrap()
            .unwrap()
            .version,
        2
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_handles_lose_no_update() {
    const EACH: u32 = 20;
    let scratch = Scratch::new();
    let stores = [scratch.open().await, scratch.open().await];
    let mut entry = sample::outbox(1);
    entry.attempts = 0;
    commit(&stores[0], Batch::new().insert(entry.clone())).await;
    let count = async |store: &SqliteStore| {
        for _ in 0..EACH {
            loop {
                let found = store.due(entry.due_at, 1).await.unwrap().remove(0);
                let mut row = found.row;
                row.attempts += 1;
                if store
                    .commit(Batch::new().update(row, found.version))
                    .await
                    .unwrap()
                    == Commit::Committed
                {
                    break;
                }
            }
        }
    };
    join_all(stores.iter().chain(&stores).map(count)).await;
    assert_eq!(
        stores[1].due(entry.due_at, 1).await.unwrap()[0]
            .row
            .attempts,
        4 * EACH
    );
}

#[tokio::test]
async fn a_writer_that_stays_makes_others_wait_and_then_give_up() {
    let scratch = Scratch::new();
    let options = SqliteOptions::default().with_busy_wait(Duration::from_millis(300));
    let store = SqliteStore::open_with(scratch.file(), clock(), options)
        .await
        .unwrap();
    commit(&store, Batch::new().insert(sample::event(1))).await;
    let mut other = scratch.tamper().await;
    run(&mut other, "BEGIN IMMEDIATE").await;

    let error = store
        .commit(Batch::new().insert(sample::event(2)))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "storage_unavailable: the store does not answer: it is busy"
    );
    let mut horizon = Horizon::keeping_all();
    horizon.events = jiff::Timestamp::MAX;
    let refused = store.prune(&horizon, 10).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::StorageUnavailable);
    // Reading goes on.
    assert_eq!(store.events(None, 10).await.unwrap().len(), 1);
    run(&mut other, "ROLLBACK").await;
    commit(&store, Batch::new().insert(sample::event(2))).await;
}

#[tokio::test]
async fn a_reader_that_stays_holds_nobody_up() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    commit(&store, Batch::new().insert(sample::credential(1, 1))).await;
    let mut other = scratch.tamper().await;
    run(&mut other, "BEGIN").await;
    sqlx::query("SELECT * FROM \"credential\"")
        .fetch_all(&mut other)
        .await
        .unwrap();
    // Not even a write that would empty the log.
    commit(
        &store,
        Batch::new().update(
            CredentialRow {
                sealed: None,
                ..sample::credential(1, 1)
            },
            1,
        ),
    )
    .await;
}

#[tokio::test]
async fn a_commit_that_nobody_waits_for_is_whole_or_nothing() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    for round in 0..20 {
        let pair = Batch::new()
            .insert(sample::event(round * 2))
            .insert(sample::event(round * 2 + 1));
        // Polled once or twice, then dropped.
        let mut commit = store.commit(pair);
        let _ = (&mut commit).now_or_never();
        if round % 2 == 0 {
            tokio::task::yield_now().await;
            let _ = (&mut commit).now_or_never();
        }
        drop(commit);
    }
    commit(&store, Batch::new().insert(sample::connection(1))).await;
    assert_eq!(store.events(None, 100).await.unwrap().len() % 2, 0);
}

#[tokio::test]
async fn two_rows_of_one_batch_conflict_over_a_unique_value() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    let mut second = sample::connection(2);
    second.name = sample::connection(1).name;
    let batch = Batch::new().insert(sample::connection(1)).insert(second);
    assert_eq!(store.commit(batch).await.unwrap(), Commit::Conflict);
    assert!(store.connections(None, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_could_not_be_read_again_is_not_written() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    let mut deep = Value::Null;
    for _ in 0..126 {
        deep = json!([deep]);
    }
    let mut connection = sample::connection(1);
    connection.settings = [(String::from("deep"), deep.clone())].into_iter().collect();
    let mut event = sample::event(1);
    event.data = json!([deep]);
    for batch in [
        Batch::new().insert(connection),
        Batch::new().insert(sample::event(2)).insert(event),
    ] {
        let error = store.commit(batch).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{error}");
    }
    assert!(store.events(None, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn shredded_ciphertext_is_gone_from_the_files() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    // In base64 this is a run of one letter; one copy fits a page of the file, the other does not.
    let sealed = |length| Some(Sealed::from_bytes(vec![0b0110_0101; length]));
    let marker = "ZWVl".repeat(20);
    let credentials = [(1, 300), (2, 20_000)].map(|(generation, length)| CredentialRow {
        sealed: sealed(length),
        ..sample::credential(1, generation)
    });
    let insert = credentials.iter().fold(Batch::new(), |batch, credential| {
        batch.insert(credential.clone())
    });

    for delete in [false, true] {
        commit(&store, insert.clone()).await;
        assert!(lingers(&scratch, &marker));
        let shred = credentials.iter().fold(Batch::new(), |batch, credential| {
            if delete {
                batch.delete(
                    RowKey::Credential(credential.account_id, credential.generation),
                    1,
                )
            } else {
                batch.update(
                    CredentialRow {
                        sealed: None,
                        ..credential.clone()
                    },
                    1,
                )
            }
        });
        commit(&store, shred).await;
        assert!(!lingers(&scratch, &marker));
        let rest = credentials.iter().fold(Batch::new(), |batch, credential| {
            batch.delete(
                RowKey::Credential(credential.account_id, credential.generation),
                2,
            )
        });
        if !delete {
            commit(&store, rest).await;
        }
    }
}

/// Whether any file of the store holds a text.
fn lingers(scratch: &Scratch, text: &str) -> bool {
    fs::read_dir(scratch.path()).unwrap().any(|entry| {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    })
}
