//! A store of your own, complete: rows in a map, which a lock keeps together.
//!
//! A store doesn't know connections or accounts. A row has a table, the values that it's found by, and a JSON body. If
//! you replace the map with a database, run `stead_testkit::store::suite` to prove that your store keeps its promises.
//! `tests/custom_store.rs` runs that suite on this store.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use stead::{
    Platform, Result, TokioRuntime,
    ports::{BoxFuture, Runtime},
    store::{Batch, Commit, Found, Index, Key, List, Row, Store, Table, Value, Versioned, Write},
};

/// Rows by their keys, with their versions, and the highest position that a row ever had.
type Rows = BTreeMap<Key, (Row, u64)>;

pub(crate) struct MapStore {
    rows: Mutex<(Rows, i64)>,
    runtime: Arc<dyn Runtime>,
}

impl MapStore {
    pub(crate) fn new(runtime: Arc<dyn Runtime>) -> Self {
        let rows = Mutex::default();
        Self { rows, runtime }
    }

    fn rows(&self) -> MutexGuard<'_, (Rows, i64)> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, (row, version): &(Row, u64)) -> Versioned<Row> {
        Versioned {
            row: row.clone(),
            version: *version,
            read_at: self.runtime.now(),
        }
    }
}

impl Store for MapStore {
    fn get<'a>(&'a self, key: &'a Key) -> Found<'a> {
        Box::pin(async move { Ok(self.rows().0.get(key).map(|found| self.read(found))) })
    }

    fn find<'a>(&'a self, table: &'static Table, index: Index, values: &'a [Value]) -> Found<'a> {
        Box::pin(async move {
            let rows = self.rows();
            let mut rows = rows.0.values().filter(|(row, _)| row.table == table);
            let found = rows.find(|(row, _)| row.values_of(index).eq(values));
            Ok(found.map(|found| self.read(found)))
        })
    }

    fn list<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<Vec<Versioned<Row>>>> {
        Box::pin(async move {
            let rows = self.rows();
            let found = listed(&rows.0, list).into_iter();
            Ok(found.map(|found| self.read(found)).collect())
        })
    }

    fn commit(&self, mut batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        Box::pin(async move {
            let (rows, last) = &mut *self.rows();
            batch.position(last);
            let Some(next) = after(rows, batch) else {
                return Ok(Commit::Conflict);
            };
            *rows = next;
            Ok(Commit::Committed)
        })
    }

    fn prune<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<u64>> {
        Box::pin(async move {
            let mut rows = self.rows();
            let found = listed(&rows.0, list).into_iter();
            let keys: Vec<Key> = found.map(|(row, _)| row.key()).collect();
            rows.0.retain(|key, _| !keys.contains(key));
            Ok(keys.len() as u64)
        })
    }

    fn now(&self) -> BoxFuture<'_, Result<jiff::Timestamp>> {
        Box::pin(async { Ok(self.runtime.now()) })
    }
}

fn listed<'a>(rows: &'a Rows, list: &List) -> Vec<&'a (Row, u64)> {
    let of_list = rows.values().filter(|(row, _)| list.includes(row));
    let mut found: Vec<_> = of_list.collect();
    found.sort_by(|(one, _), (other, _)| list.compare(one, other));
    found.truncate(list.limit as usize);
    found
}

/// All rows as they are after a batch, unless it conflicts.
fn after(rows: &Rows, batch: Batch) -> Option<Rows> {
    let has = |rows: &Rows, key: &Key, version: Option<u64>| {
        rows.get(key).map(|(_, version)| *version) == version
    };
    let mut guards = batch.guards.iter();
    if !guards.all(|(key, version)| has(rows, key, Some(*version))) {
        return None;
    }
    let mut next = rows.clone();
    let mut written = Vec::new();
    for write in batch.writes {
        let key = write.key();
        let (expected, row) = match write {
            Write::Insert(row) => (None, Some((row, 1))),
            Write::Update(row, version) => (Some(version), Some((row, version.wrapping_add(1)))),
            Write::Delete(_, version) => (Some(version), None),
        };
        if written.contains(&key) || !has(&next, &key, expected) {
            return None;
        }
        next.remove(&key);
        if let Some((row, version)) = row {
            if next.values().any(|(other, _)| row.clashes(other)) {
                return None;
            }
            next.insert(key.clone(), (row, version));
        }
        written.push(key);
    }
    Some(next)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = MapStore::new(Arc::new(TokioRuntime::current()?));
    let platform = Platform::builder("http://127.0.0.1")
        .ephemeral_key()
        .store(Arc::new(store))
        .build()
        .await?;
    platform.environment().ready().await?;
    Ok(())
}
