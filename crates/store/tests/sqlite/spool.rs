//! The spool in a folder: what it keeps, what it leaves alone, and which processes it knows to have ended.

use std::fs;

use crate::scratch::Scratch;
use stead_core::{ErrorKind, ports::Spool as _};
use stead_store::FileSpool;

const NAME: &str = "token-0198-7";

fn kept(name: &str, record: &str) -> (String, Vec<u8>) {
    (name.to_owned(), record.as_bytes().to_vec())
}

#[tokio::test]
async fn a_record_is_kept_replaced_listed_and_removed() {
    let scratch = Scratch::new();
    let spool = FileSpool::next_to(scratch.file());
    assert_eq!(spool.list().await.unwrap(), []);
    spool.put(NAME, b"a longer first one").await.unwrap();
    spool.put(NAME, b"second").await.unwrap();
    spool.put("other", b"").await.unwrap();
    // A process that starts later finds them.
    let later = FileSpool::new(scratch.path().join("stead.db.spool"));
    let all = [kept("other", ""), kept(NAME, "second")];
    assert_eq!(later.list().await.unwrap(), all);
    later.remove("other").await.unwrap();
    later.remove("other").await.unwrap();
    assert_eq!(spool.list().await.unwrap(), [kept(NAME, "second")]);
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_reads_a_spool() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new();
    let folder = scratch.path().join("stead.db.spool");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let spool = FileSpool::new(&folder);
    spool.enter("one").await.unwrap();
    spool.put(NAME, b"sealed").await.unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(Result::unwrap).collect();
    assert_eq!(files.len(), 2);
    for file in files {
        assert_eq!(mode(&file.path()), 0o600);
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_left_and_the_rest_is_listed() {
    let scratch = Scratch::new();
    let spool = FileSpool::next_to(scratch.file());
    spool.put(NAME, b"sealed").await.unwrap();
    let folder = scratch.path().join("stead.db.spool");
    fs::create_dir(folder.join("damaged.record")).unwrap();
    fs::write(folder.join("large.record"), vec![0; 2 * 1024 * 1024]).unwrap();
    fs::write(folder.join("token-1.99.new"), "half").unwrap();
    fs::write(folder.join("A strange name.record"), "?").unwrap();
    assert_eq!(spool.list().await.unwrap(), [kept(NAME, "sealed")]);
    for left in ["damaged.record", "large.record", "A strange name.record"] {
        assert!(folder.join(left).exists(), "{left}");
    }
}

#[tokio::test]
async fn a_name_is_not_a_path() {
    let scratch = Scratch::new();
    let spool = FileSpool::next_to(scratch.file());
    let long = "a".repeat(101);
    for name in ["", "..", "a/b", "A", "a.b", "é", long.as_str()] {
        for error in [
            spool.put(name, b"").await.unwrap_err(),
            spool.remove(name).await.unwrap_err(),
            spool.enter(name).await.unwrap_err(),
            spool.has_ended(name).await.unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{name}");
        }
    }
}

#[tokio::test]
async fn a_process_has_ended_where_its_lock_is_free() {
    let scratch = Scratch::new();
    let (one, other) = (
        FileSpool::next_to(scratch.file()),
        FileSpool::next_to(scratch.file()),
    );
    assert!(!other.has_ended("first").await.unwrap(), "it never entered");
    one.enter("first").await.unwrap();
    one.enter("second").await.unwrap();
    other.enter("third").await.unwrap();
    for spool in [&one, &other] {
        for process in ["first", "second", "third"] {
            assert!(!spool.has_ended(process).await.unwrap(), "{process}");
        }
    }
    drop(one);
    for _ in 0..2 {
        assert!(other.has_ended("first").await.unwrap());
        assert!(other.has_ended("second").await.unwrap());
        assert!(!other.has_ended("third").await.unwrap());
    }
    assert_eq!(other.list().await.unwrap(), [], "marks are not records");
}

#[tokio::test]
async fn old_marks_of_ended_processes_are_removed() {
    let scratch = Scratch::new();
    let (one, other) = (
        FileSpool::next_to(scratch.file()),
        FileSpool::next_to(scratch.file()),
    );
    one.enter("ended").await.unwrap();
    other.enter("living").await.unwrap();
    drop(one);
    let folder = scratch.path().join("stead.db.spool");
    fs::write(folder.join("token-1.99.new"), "half").unwrap();
    let names = || {
        let entries = fs::read_dir(&folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    };
    other.enter("young").await.unwrap();
    assert_eq!(names().len(), 4, "{:?}", names());
    // In 2023.
    let long_ago =
        std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    for name in names() {
        let file = fs::OpenOptions::new()
            .write(true)
            .open(folder.join(name))
            .unwrap();
        file.set_modified(long_ago).unwrap();
    }
    other.enter("next").await.unwrap();
    let expected = ["living", "next", "young"].map(|name| format!("process-{name}.lock"));
    assert_eq!(names(), expected);
    assert!(!other.has_ended("living").await.unwrap());
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_reported_with_its_name() {
    let scratch = Scratch::new();
    fs::write(scratch.file(), "a file").unwrap();
    let spool = FileSpool::new(scratch.file().join("spool"));
    let error = spool.put(NAME, b"sealed").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageUnavailable);
    assert!(error.message().contains("stead.db/spool"), "{error}");
}
