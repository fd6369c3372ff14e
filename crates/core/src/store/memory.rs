//! An in-memory store for tests and experiments.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    future::ready,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use jiff::Timestamp;

use super::{Batch, Commit, Found, Index, Key, List, Row, Store, Table, Value, Versioned, Write};
use crate::{
    Result,
    ports::{BoxFuture, Runtime},
};

type Rows = BTreeMap<Key, (Row, u64)>;

/// Rows, and the highest position that any of them ever had.
#[derive(Default)]
struct Kept {
    rows: Rows,
    last: i64,
}

/// An in-memory store for tests and experiments. Its rows are lost when the process stops.
pub struct MemoryStore {
    kept: Mutex<Kept>,
    runtime: Arc<dyn Runtime>,
}

impl MemoryStore {
    /// An empty store with the time of `runtime`.
    pub fn new(runtime: Arc<dyn Runtime>) -> Self {
        Self {
            kept: Mutex::default(),
            runtime,
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Nothing panics while the rows are locked, so even a poisoned lock has complete rows.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn versioned(&self, (row, version): &(Row, u64)) -> Versioned<Row> {
        Versioned {
            row: row.clone(),
            version: *version,
            read_at: self.runtime.now(),
        }
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore")
            .field("rows", &self.kept().rows.len())
            .finish_non_exhaustive()
    }
}

impl Store for MemoryStore {
    fn get<'a>(&'a self, key: &'a Key) -> Found<'a> {
        let found = self.kept().rows.get(key).map(|found| self.versioned(found));
        Box::pin(ready(Ok(found)))
    }

    fn find<'a>(&'a self, table: &'static Table, index: Index, values: &'a [Value]) -> Found<'a> {
        let found = of_table(&self.kept().rows, table)
            .find(|(row, _)| row.values_of(index).eq(values))
            .map(|found| self.versioned(found));
        Box::pin(ready(Ok(found)))
    }

    fn list<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<Vec<Versioned<Row>>>> {
        let kept = self.kept();
        let found = listed(&kept.rows, list).into_iter();
        let found = found.map(|found| self.versioned(found)).collect();
        Box::pin(ready(Ok(found)))
    }

    fn commit(&self, mut batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        let Kept { rows, last } = &mut *self.kept();
        batch.position(last);
        let committed = apply(rows, batch);
        Box::pin(ready(Ok(committed)))
    }

    fn prune<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<u64>> {
        let rows = &mut self.kept().rows;
        let keys: Vec<Key> = listed(rows, list)
            .iter()
            .map(|(row, _)| row.key())
            .collect();
        keys.iter().for_each(|key| drop(rows.remove(key)));
        Box::pin(ready(Ok(keys.len() as u64)))
    }

    fn now(&self) -> BoxFuture<'_, Result<Timestamp>> {
        Box::pin(ready(Ok(self.runtime.now())))
    }
}

/// The rows of a table.
fn of_table<'a>(rows: &'a Rows, table: &'static Table) -> impl Iterator<Item = &'a (Row, u64)> {
    rows.range(Key::new(table, Vec::new())..)
        .map(|(_, found)| found)
        .take_while(move |(row, _)| row.table == table)
}

fn listed<'a>(rows: &'a Rows, list: &List) -> Vec<&'a (Row, u64)> {
    let mut found: Vec<_> = of_table(rows, list.table)
        .filter(|(row, _)| list.includes(row))
        .collect();
    found.sort_by(|(one, _), (other, _)| list.compare(one, other));
    found.truncate(list.limit as usize);
    found
}

/// Applies the writes in order. A conflict undoes the earlier ones.
fn apply(rows: &mut Rows, batch: Batch) -> Commit {
    let version_of = |rows: &Rows, key: &Key| rows.get(key).map(|(_, version)| *version);
    let guarded = batch
        .guards
        .iter()
        .all(|(key, version)| version_of(rows, key) == Some(*version));
    let mut written = BTreeSet::new();
    let once = batch.writes.iter().all(|write| written.insert(write.key()));
    if !guarded || !once {
        return Commit::Conflict;
    }
    let mut before = Vec::with_capacity(batch.writes.len());
    for write in batch.writes {
        let key = write.key();
        let (expected, next) = match write {
            Write::Insert(row) => (None, Some((row, 1))),
            Write::Update(row, version) => (Some(version), Some((row, version.saturating_add(1)))),
            Write::Delete(_, version) => (Some(version), None),
        };
        let clashes = |row: &Row| {
            // Most tables don't need a scan of all rows, which would be slow with one execution per call.
            row.table.indexes.iter().any(|index| index.unique)
                && of_table(rows, row.table)
                    .any(|(other, _)| other.key() != key && row.clashes(other))
        };
        let fits = version_of(rows, &key) == expected
            && next.as_ref().is_none_or(|(row, _)| !clashes(row));
        if !fits {
            for (key, replaced) in before.into_iter().rev() {
                put(rows, key, replaced);
            }
            return Commit::Conflict;
        }
        before.push((key.clone(), put(rows, key, next)));
    }
    Commit::Committed
}

fn put(rows: &mut Rows, key: Key, row: Option<(Row, u64)>) -> Option<(Row, u64)> {
    match row {
        Some(row) => rows.insert(key, row),
        None => rows.remove(&key),
    }
}
