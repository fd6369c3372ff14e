//! Short helpers that the checks use to read and write a store.

use stead_core::{
    Result,
    store::{Batch, Commit, Key, List, Row, Store, Write},
};

/// The result of a store that must succeed.
pub(super) fn answered<T>(result: Result<T>) -> T {
    match result {
        Ok(result) => result,
        Err(error) => panic!("the store failed: {error:?}"),
    }
}

/// A batch that inserts rows.
pub(super) fn inserting(rows: impl IntoIterator<Item = Row>) -> Batch {
    let writes = rows.into_iter().map(Write::Insert);
    writes.fold(Batch::new(), Batch::write)
}

/// A batch that replaces a row.
pub(super) fn updating(row: Row, version: u64) -> Batch {
    Batch::new().write(Write::Update(row, version))
}

/// Commits a batch that must succeed.
pub(super) async fn commit(store: &dyn Store, batch: Batch) {
    offer(store, batch, Commit::Committed).await;
}

/// Commits a batch that must conflict.
pub(super) async fn conflict(store: &dyn Store, batch: Batch) {
    offer(store, batch, Commit::Conflict).await;
}

pub(super) async fn offer(store: &dyn Store, batch: Batch, expected: Commit) {
    let shown = format!("{batch:?}");
    assert_eq!(answered(store.commit(batch).await), expected, "{shown}");
}

/// Inserts rows.
pub(super) async fn insert(store: &dyn Store, rows: impl IntoIterator<Item = Row>) {
    commit(store, inserting(rows)).await;
}

/// The row of a key with its version.
pub(super) async fn stored(store: &dyn Store, key: &Key) -> Option<(Row, u64)> {
    let found = answered(store.get(key).await);
    found.map(|found| (found.row, found.version))
}

/// Asserts that rows haven't changed since they were inserted.
pub(super) async fn untouched(store: &dyn Store, rows: &[Row]) {
    for row in rows {
        assert_eq!(stored(store, &row.key()).await, Some((row.clone(), 1)));
    }
}

/// The rows of a list.
pub(super) async fn listed(store: &dyn Store, list: &List) -> Vec<Row> {
    let found = answered(store.list(list).await).into_iter();
    found.map(|found| found.row).collect()
}
