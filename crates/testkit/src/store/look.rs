//! What the checks ask a store, in few words.

use std::fmt::Debug;

use jiff::Timestamp;
use stead_core::{
    Result,
    store::{Batch, Commit, Row, RowKey, Store, Versioned},
};

/// All that a page can hold.
pub(super) const ALL: u32 = u32::MAX;

/// The answer of a store that answers.
pub(super) fn answered<T>(answer: Result<T>) -> T {
    match answer {
        Ok(answer) => answer,
        Err(error) => panic!("the store failed: {error:?}"),
    }
}

/// The rows of a page.
pub(super) fn rows<T: Debug>(page: Result<Vec<Versioned<T>>>) -> Vec<T> {
    answered(page).into_iter().map(|found| found.row).collect()
}

/// Commits what has to be committed.
pub(super) async fn commit(store: &dyn Store, batch: Batch) {
    let shown = format!("{batch:?}");
    assert_eq!(
        answered(store.commit(batch).await),
        Commit::Committed,
        "{shown}"
    );
}

/// Offers what has to conflict.
pub(super) async fn conflict(store: &dyn Store, batch: Batch) {
    let shown = format!("{batch:?}");
    assert_eq!(
        answered(store.commit(batch).await),
        Commit::Conflict,
        "{shown}"
    );
}

/// Inserts rows.
pub(super) async fn insert<R: Into<Row>>(store: &dyn Store, rows: impl IntoIterator<Item = R>) {
    commit(store, rows.into_iter().fold(Batch::new(), Batch::insert)).await;
}

/// The row of a key, whatever its kind, with its version.
pub(super) async fn stored(store: &dyn Store, key: &RowKey) -> Option<(Row, u64)> {
    fn any<T: Into<Row>>(found: Option<Versioned<T>>) -> Option<(Row, u64)> {
        found.map(|found| (found.row.into(), found.version))
    }
    fn of<T: Into<Row>>(page: Vec<Versioned<T>>, key: &RowKey) -> Option<(Row, u64)> {
        page.into_iter()
            .map(|found| (found.row.into(), found.version))
            .find(|(row, _)| row.key() == *key)
    }
    match key {
        RowKey::Connection(id) => any(answered(store.connection(*id).await)),
        RowKey::Account(id) => any(answered(store.account(*id).await)),
        RowKey::Credential(account, generation) => {
            any(answered(store.credential(*account, *generation).await))
        }
        RowKey::Authorization(id) => any(answered(store.authorization(*id).await)),
        RowKey::AppCredential(client_id) => any(answered(store.app_credential(client_id).await)),
        RowKey::AccessToken(token) => any(answered(store.access_token(token).await)),
        RowKey::DataKey(_) => of(answered(store.data_keys().await), key),
        RowKey::Execution(_) => of(answered(store.executions(None, ALL).await), key),
        RowKey::Event(_) => of(answered(store.events(None, ALL).await), key),
        RowKey::Outbox(_) => of(answered(store.due(Timestamp::MAX, ALL).await), key),
        _ => panic!("the suite does not know this kind of row: {key:?}"),
    }
}
