//! Positions of events if several stores have one database open, as servers do.

use std::sync::Arc;

use stead_core::store::{Batch, Commit, List, Row, Store as _, Value, Write};
use stead_store::PostgresStore;
use stead_testkit::store::sample;
use tokio::task::JoinSet;

use crate::server::Server;

fn event(number: u32) -> Row {
    let row = sample::row(sample::table("event"), number);
    sample::with(row, "position", Value::Null)
}

fn by_position() -> List {
    let event = sample::table("event");
    List::new(event, event.indexes[0])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reader_misses_no_event_of_concurrent_writers() {
    const WRITERS: u32 = 20;
    const EACH: u32 = 10;
    let Some(server) = Server::shared() else {
        return;
    };
    let database = server.database().await;
    let stores: Vec<Arc<PostgresStore>> = vec![
        Arc::new(server.open(&database).await),
        Arc::new(server.open(&database).await),
    ];
    let mut writers = JoinSet::new();
    for (writer, store) in (0..WRITERS).zip(stores.iter().cycle()) {
        let store = Arc::clone(store);
        writers.spawn(async move {
            for number in 0..EACH {
                // Each batch also writes another row, so that commits end in a different order than they began.
                let other = sample::row(sample::table("account"), writer * EACH + number);
                let batch = Batch::new()
                    .write(Write::Insert(event(writer * EACH + number)))
                    .write(Write::Insert(other));
                assert_eq!(store.commit(batch).await.unwrap(), Commit::Committed);
            }
        });
    }
    let mut seen: Vec<Row> = Vec::new();
    while seen.len() < (WRITERS * EACH) as usize {
        let after = seen.last().map(|last| by_position().position(last));
        let page = stores[0].list(&by_position().after(after).limit(7)).await;
        seen.extend(page.unwrap().into_iter().map(|found| found.row));
    }
    while let Some(written) = writers.join_next().await {
        written.unwrap();
    }
    let all = stores[1].list(&by_position()).await.unwrap();
    let all: Vec<Row> = all.into_iter().map(|found| found.row).collect();
    assert_eq!(seen, all);
}
