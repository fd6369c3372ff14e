//! The histories of the simulation of refreshes over a PostgreSQL database.

use std::{future::ready, sync::Arc};

use jiff::Timestamp;
use stead_core::{
    Result,
    oauth::simulation::{Class, Open, cases, play},
    ports::{BoxFuture, Runtime},
    store::{Batch, Commit, Found, Index, Key, List, Row, Store, Table, Value, Versioned},
};
use stead_store::PostgresStore;

use crate::server::Server;

/// The test runs one history of each class for every 400 of `PROPTEST_CASES`, and at least one, because a history
/// makes thousands of queries.
const OF_CASES: u32 = 400;

/// A store that finishes each operation before it returns. A simulation runs its tasks on an executor of its own, and
/// that executor can't drive a database. The store's time is that of the simulation.
struct Driven {
    store: PostgresStore,
    time: Arc<dyn Runtime>,
    runtime: Arc<tokio::runtime::Runtime>,
}

impl Driven {
    fn end<'a, T: Send + 'a>(&'a self, work: impl Future<Output = T>) -> BoxFuture<'a, T> {
        Box::pin(ready(self.runtime.block_on(work)))
    }

    fn timed(&self, mut found: Versioned<Row>) -> Versioned<Row> {
        found.read_at = self.time.now();
        found
    }
}

impl Store for Driven {
    fn get<'a>(&'a self, key: &'a Key) -> Found<'a> {
        self.find(key.table, key.table.key, &key.values)
    }
    fn find<'a>(&'a self, table: &'static Table, index: Index, values: &'a [Value]) -> Found<'a> {
        let found = self.store.find(table, index, values);
        self.end(async { Ok(found.await?.map(|found| self.timed(found))) })
    }
    fn list<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<Vec<Versioned<Row>>>> {
        let found = self.store.list(list);
        self.end(async {
            let found = found.await?.into_iter();
            Ok(found.map(|found| self.timed(found)).collect())
        })
    }
    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        self.end(self.store.commit(batch))
    }
    fn prune<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<u64>> {
        self.end(self.store.prune(list))
    }
    fn now(&self) -> BoxFuture<'_, Result<Timestamp>> {
        Box::pin(ready(Ok(self.time.now())))
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        self.runtime.block_on(self.store.close());
    }
}

fn histories(class: Class) {
    let Some(server) = Server::shared() else {
        return;
    };
    let count = (cases() / OF_CASES).max(1);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = Arc::new(runtime.unwrap());
    // Opens the database of one history, any number of times.
    let next = |time: Arc<dyn Runtime>| -> Open {
        let database = runtime.block_on(server.database());
        let runtime = Arc::clone(&runtime);
        Box::new(move || {
            Arc::new(Driven {
                store: runtime.block_on(server.open(&database)),
                time: Arc::clone(&time),
                runtime: Arc::clone(&runtime),
            })
        })
    };
    let reached = play(class, count, next);
    println!("{class:?} over PostgreSQL: {reached}");
    assert_eq!(reached.histories, count);
    assert!(reached.refreshes >= count, "{reached}");
}

#[test]
#[ignore = "it takes a minute; `cargo xtask postgres --all` runs it"]
fn a_stable_grant_never_loses_an_account() {
    histories(Class::Stable);
}

#[test]
#[ignore = "it takes a minute; `cargo xtask postgres --all` runs it"]
fn a_rotating_grant_loses_an_account_only_with_a_reason() {
    histories(Class::Rotating);
}

#[test]
#[ignore = "it takes a minute; `cargo xtask postgres --all` runs it"]
fn a_grant_with_a_grace_period_loses_an_account_only_with_a_reason() {
    histories(Class::Grace);
}

#[test]
#[ignore = "it takes a minute; `cargo xtask postgres --all` runs it"]
fn a_strict_grant_reuses_a_refresh_token_only_with_a_reason() {
    histories(Class::Strict);
}
