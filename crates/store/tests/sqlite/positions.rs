//! Positions of events if several stores have one file open, as processes do. Also positions in a schema that had none.

use std::sync::Arc;

use stead_core::store::{Batch, List, Row, Store as _, Value, Write};
use stead_store::SqliteStore;
use stead_testkit::store::sample;
use tokio::task::JoinSet;

use crate::scratch::{Scratch, run};

fn event(number: u32) -> Row {
    sample::with(
        sample::row(sample::table("event"), number),
        "position",
        Value::Null,
    )
}

fn by_position() -> List {
    let event = sample::table("event");
    List::new(event, event.indexes[0])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reader_misses_no_event_of_concurrent_writers() {
    const WRITERS: u32 = 20;
    const EACH: u32 = 10;
    let scratch = Scratch::new();
    let stores: Vec<Arc<SqliteStore>> = vec![
        Arc::new(scratch.open().await),
        Arc::new(scratch.open().await),
    ];
    let mut writers = JoinSet::new();
    for (writer, store) in (0..WRITERS).zip(stores.iter().cycle()) {
        let store = Arc::clone(store);
        writers.spawn(async move {
            for number in 0..EACH {
                let event = event(writer * EACH + number);
                let batch = Batch::new().write(Write::Insert(event));
                let _ = store.commit(batch).await.unwrap();
            }
        });
    }
    let mut seen: Vec<Row> = Vec::new();
    while seen.len() < (WRITERS * EACH) as usize {
        let after = seen.last().map(|last| by_position().position(last));
        let page = stores[0]
            .list(&by_position().after(after).limit(7))
            .await
            .unwrap();
        seen.extend(page.into_iter().map(|found| found.row));
    }
    while let Some(written) = writers.join_next().await {
        written.unwrap();
    }
    let all = stores[1].list(&by_position()).await.unwrap();
    let all: Vec<Row> = all.into_iter().map(|found| found.row).collect();
    assert_eq!(seen, all);
}

#[tokio::test]
async fn events_of_an_older_schema_get_positions_by_their_time() {
    let scratch = Scratch::new();
    let mut connection = scratch.tamper().await;
    for migration in [
        include_str!("../../migrations/0001_rows.sql"),
        include_str!("../../migrations/0002_history.sql"),
    ] {
        sqlx::raw_sql(migration)
            .execute(&mut connection)
            .await
            .unwrap();
    }
    for statement in [
        "CREATE TABLE \"stead_schema\" (\"version\" BIGINT NOT NULL PRIMARY KEY, \"applied_at\" TEXT NOT NULL)",
        "INSERT INTO \"stead_schema\" VALUES (2, '2026-11-21T00:00:00Z')",
        "INSERT INTO \"event\" VALUES ('evt_a', 20, 1, '{\"account_id\":\"acct_1\"}'), ('evt_b', 10, 1, '{\"account_id\":null}'), ('evt_c', 10, 2, '{}')",
    ] {
        run(&mut connection, statement).await;
    }
    drop(connection);
    let store = scratch.open().await;
    let batch = Batch::new().write(Write::Insert(event(7)));
    let _ = store.commit(batch).await.unwrap();
    let rows = store.list(&by_position()).await.unwrap();
    let text = |text: &str| Value::Text(text.to_owned());
    let found: Vec<Vec<Value>> = rows.iter().map(|found| found.row.values.clone()).collect();
    let [one, ten, twenty] = [1, 10, 20].map(Value::Integer);
    let [second, third] = [2, 3].map(Value::Integer);
    assert_eq!(
        found[..3],
        [
            vec![
                text("evt_b"),
                one.clone(),
                ten.clone(),
                Value::Null,
                one.clone()
            ],
            vec![text("evt_c"), one.clone(), ten, Value::Null, second],
            vec![text("evt_a"), one, twenty, text("acct_1"), third],
        ]
    );
    assert_eq!(rows[1].version, 2);
    assert_eq!(rows[3].row.value("position"), &Value::Integer(4));
}
