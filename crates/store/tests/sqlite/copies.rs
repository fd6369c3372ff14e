//! Backups, and older copies of a database that are restored.

use std::fs;

use crate::scratch::{Scratch, all, clock, event, insert, run};
use jiff::Timestamp;
use stead_core::{
    ErrorKind,
    store::{Commit, Store as _},
};
use stead_store::{SqliteStore, backup};
use stead_testkit::store::sample;

async fn restored_at(store: &SqliteStore) -> Option<Timestamp> {
    store.restored_at().await.unwrap()
}

async fn write(store: &SqliteStore, number: u32) {
    let written = store.commit(insert([event(number)])).await.unwrap();
    assert_eq!(written, Commit::Committed);
}

#[tokio::test]
async fn a_backup_of_a_running_store_is_a_snapshot() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    let rows = insert(sample::rows(1));
    assert_eq!(store.commit(rows).await.unwrap(), Commit::Committed);
    let to = scratch.path().join("backup.db");
    backup(scratch.file(), &to).await.unwrap();
    write(&store, 2).await;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(&to).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let copy = SqliteStore::open(&to, clock()).await.unwrap();
    for row in sample::rows(1) {
        let found = copy.get(&row.key()).await.unwrap().unwrap();
        assert_eq!((found.row, found.version), (row, 1));
    }
    assert_eq!(all(&copy, "event").await, [event(1)]);
}

#[tokio::test]
async fn a_backup_replaces_no_file_and_a_failed_one_leaves_none() {
    let scratch = Scratch::new();
    let to = scratch.path().join("backup.db");
    let missing = backup(scratch.file(), &to).await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::StorageUnavailable);
    assert!(missing.message().contains("stead.db: "), "{missing}");
    assert!(!scratch.file().exists() && !to.exists());

    let mut other = scratch.tamper().await;
    run(&mut other, "CREATE TABLE \"letter\" (\"text\" TEXT)").await;
    let foreign = backup(scratch.file(), &to).await.unwrap_err();
    assert!(
        foreign.message().contains("isn't a Stead database"),
        "{foreign}"
    );
    assert!(!to.exists());

    fs::write(&to, "precious").unwrap();
    let exists = backup(scratch.file(), &to).await.unwrap_err();
    assert_eq!(exists.kind(), ErrorKind::InvalidRequest);
    assert!(
        exists.message().contains("backup.db already exists"),
        "{exists}"
    );
    assert_eq!(fs::read_to_string(&to).unwrap(), "precious");
}

#[tokio::test]
async fn a_store_opened_from_a_backup_keeps_its_restore_time() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    assert_eq!(restored_at(&store).await, None);
    let to = scratch.path().join("backup.db");
    backup(scratch.file(), &to).await.unwrap();
    store.close().await;
    for _ in 0..2 {
        let copy = SqliteStore::open(&to, clock()).await.unwrap();
        assert_eq!(restored_at(&copy).await, Some(clock().now()));
        copy.close().await;
    }
    let store = scratch.open().await;
    assert_eq!(restored_at(&store).await, None, "what was copied is itself");
}

#[tokio::test]
async fn an_older_copy_that_is_put_back_is_noticed() {
    let scratch = Scratch::new();
    scratch.open().await.close().await;
    let copy = scratch.path().join("copy");
    fs::copy(scratch.file(), &copy).unwrap();
    // A copy of the current state isn't an older one.
    scratch.open().await.close().await;
    fs::copy(scratch.file(), scratch.path().join("present")).unwrap();
    fs::copy(scratch.path().join("present"), scratch.file()).unwrap();
    let store = scratch.open().await;
    assert_eq!(restored_at(&store).await, None);
    write(&store, 1).await;
    store.close().await;

    fs::copy(&copy, scratch.file()).unwrap();
    for _ in 0..2 {
        let store = scratch.open().await;
        assert_eq!(restored_at(&store).await, Some(clock().now()));
        store.close().await;
    }
}

#[tokio::test]
async fn another_database_at_the_same_place_is_not_an_older_copy() {
    let scratch = Scratch::new();
    for _ in 0..3 {
        scratch.open().await.close().await;
    }
    fs::remove_file(scratch.file()).unwrap();
    let store = scratch.open().await;
    assert_eq!(restored_at(&store).await, None);
    store.close().await;
    // A database whose mark can't be read isn't an older copy either.
    fs::write(scratch.path().join("stead.db.mark"), "nonsense").unwrap();
    let store = scratch.open().await;
    assert_eq!(restored_at(&store).await, None);
}
