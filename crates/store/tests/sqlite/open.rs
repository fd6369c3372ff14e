//! Which files are opened and which are refused, and the messages about that.

use std::{fs, path::Path};

use crate::scratch::{Scratch, all, clock, event, insert, run};
use futures_util::future::join_all;
use stead_core::{
    Error, ErrorKind,
    store::{Commit, List, Store as _},
};
use stead_store::SqliteStore;
use stead_testkit::store::sample;

async fn refused(path: &Path) -> Error {
    let error = SqliteStore::open(path, clock()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageUnavailable);
    let start = format!("can't open {}: ", path.display());
    assert!(error.message().starts_with(&start), "{error}");
    error
}

#[tokio::test]
async fn reopening_keeps_every_row() {
    let scratch = Scratch::new();
    let batch = |number| insert(sample::rows(number));
    let store = scratch.open().await;
    assert_eq!(store.commit(batch(1)).await.unwrap(), Commit::Committed);
    store.close().await;
    assert!(
        !scratch.path().join("stead.db-wal").exists(),
        "the last to close leaves one file"
    );

    let store = scratch.open().await;
    assert_eq!(store.commit(batch(1)).await.unwrap(), Commit::Conflict);
    assert_eq!(store.commit(batch(2)).await.unwrap(), Commit::Committed);
    // The store isn't closed, but its commits are on the disk.
    drop(store);
    let store = scratch.open().await;
    for row in (1..=2).flat_map(sample::rows) {
        let found = store.get(&row.key()).await.unwrap().unwrap();
        assert_eq!((found.row, found.version), (row, 1));
    }
    assert_eq!(all(&store, "event").await.len(), 2);
}

#[tokio::test]
async fn a_closed_store_does_not_answer() {
    let scratch = Scratch::new();
    let store = scratch.open().await;
    store.close().await;
    let list = List::new(event(1).table, event(1).table.key);
    for error in [
        store.now().await.unwrap_err(),
        store.get(&event(1).key()).await.unwrap_err(),
        store.list(&list).await.unwrap_err(),
        store.commit(insert([event(1)])).await.unwrap_err(),
        store.prune(&list).await.unwrap_err(),
    ] {
        assert_eq!(
            error.to_string(),
            "storage_unavailable: the store doesn't respond: it is closed"
        );
    }
}

#[tokio::test]
async fn several_stores_can_open_a_new_file_concurrently() {
    let scratch = Scratch::new();
    let stores = join_all((0..8).map(|_| scratch.open())).await;
    for (store, number) in stores.iter().zip(1..) {
        assert_eq!(
            store.commit(insert([event(number)])).await.unwrap(),
            Commit::Committed
        );
    }
    for store in stores {
        assert_eq!(all(&store, "event").await.len(), 8);
    }
}

#[tokio::test]
async fn a_file_may_have_any_name() {
    let scratch = Scratch::new();
    for name in ["file:a.db?mode=memory", "%41 #ü'\".db", ":memory:"] {
        let path = scratch.path().join(name);
        let store = SqliteStore::open(&path, clock()).await.unwrap();
        assert_eq!(
            store.commit(insert([event(1)])).await.unwrap(),
            Commit::Committed
        );
        store.close().await;
        assert!(fs::metadata(path).unwrap().len() > 0, "{name}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_reads_a_new_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new();
    let store = scratch.open().await;
    assert_eq!(
        store.commit(insert([event(1)])).await.unwrap(),
        Commit::Committed
    );
    let mut files = 0;
    for entry in fs::read_dir(scratch.path()).unwrap() {
        let metadata = entry.unwrap().metadata().unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
        files += 1;
    }
    assert_eq!(
        files, 4,
        "the database, its mark, its log, and the log's index"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_others_can_read_is_closed_to_them() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new();
    scratch.open().await.close().await;
    for mode in [0o644, 0o660, 0o604] {
        fs::set_permissions(scratch.file(), fs::Permissions::from_mode(mode)).unwrap();
        let store = scratch.open().await;
        let metadata = fs::metadata(scratch.file()).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{mode:o}");
        store.close().await;
    }
}

#[tokio::test]
async fn an_empty_file_becomes_a_store() {
    let scratch = Scratch::new();
    fs::write(scratch.file(), "").unwrap();
    let store = scratch.open().await;
    assert!(all(&store, "event").await.is_empty());
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_kept() {
    let scratch = Scratch::new();
    let text = "not a database, but a letter to somebody. ".repeat(100);
    fs::write(scratch.file(), &text).unwrap();
    let error = refused(&scratch.file()).await;
    assert!(
        error
            .message()
            .ends_with("its file isn't a SQLite database"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(scratch.file()).unwrap(), text);
}

#[tokio::test]
async fn the_database_of_another_program_is_refused_and_kept() {
    let scratch = Scratch::new();
    let mut connection = scratch.tamper().await;
    run(&mut connection, "CREATE TABLE \"letter\" (\"text\" TEXT)").await;
    let before = fs::read(scratch.file()).unwrap();
    let error = refused(&scratch.file()).await;
    assert!(
        error
            .message()
            .ends_with("the file is another program's database"),
        "{error}"
    );
    assert_eq!(fs::read(scratch.file()).unwrap(), before);
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_is_refused_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new();
    let stays = async || {
        fs::set_permissions(scratch.file(), fs::Permissions::from_mode(0o644)).unwrap();
        refused(&scratch.file()).await;
        let metadata = fs::metadata(scratch.file()).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o644);
    };
    fs::write(scratch.file(), "a letter to somebody").unwrap();
    stays().await;
    fs::remove_file(scratch.file()).unwrap();
    let mut connection = scratch.tamper().await;
    run(&mut connection, "CREATE TABLE \"letter\" (\"text\" TEXT)").await;
    stays().await;
}

#[tokio::test]
async fn the_store_of_a_newer_stead_is_refused_and_kept() {
    let scratch = Scratch::new();
    scratch.open().await.close().await;
    let mut connection = scratch.tamper().await;
    assert_eq!(
        run(
            &mut connection,
            "INSERT INTO \"stead_schema\" VALUES (999, '2030-01-01T00:00:00Z')"
        )
        .await,
        1
    );
    let error = refused(&scratch.file()).await;
    assert!(
        error.message().contains(
            "a newer Stead wrote the store (schema version 999, this Stead supports up to "
        ),
        "{error}"
    );
}

#[tokio::test]
async fn a_path_that_cannot_be_a_file_is_refused() {
    let scratch = Scratch::new();
    let missing = refused(&scratch.path().join("missing/stead.db")).await;
    assert!(missing.message().contains("No such file"), "{missing}");
    let folder = refused(scratch.path()).await;
    assert!(folder.message().ends_with("it isn't a file"), "{folder}");
    fs::write(scratch.file(), "").unwrap();
    refused(&scratch.file().join("stead.db")).await;
}

/// A folder in which not even the superuser can create files.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_that_cannot_be_written_is_refused() {
    refused(Path::new("/proc/self/stead.db")).await;
}
