//! The spool in a folder: the records that it keeps, the files that it leaves alone, and how it detects ended
//! processes.

use std::{fs, path::Path};

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
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(Result::unwrap).collect();
    // A mark, a record and the reserved space.
    assert_eq!(files.len(), 2 + 16);
    for file in files {
        assert_eq!(mode(&file.path()), 0o600);
    }
}

#[tokio::test]
async fn unreadable_records_are_kept_and_the_others_are_listed() {
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
async fn a_process_has_ended_if_its_lock_is_free() {
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
        let mut names: Vec<_> = names.filter(|name| !name.ends_with(".reserve")).collect();
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

/// The number of files that reserve space, and their bytes.
fn reserved(folder: &Path) -> (usize, u64) {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let sizes: Vec<u64> = entries
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(".reserve"))
        .map(|entry| entry.metadata().unwrap().len())
        .collect();
    (sizes.len(), sizes.iter().sum())
}

#[tokio::test]
async fn each_process_reserves_space_and_takes_over_that_of_ended_ones() {
    let scratch = Scratch::new();
    let folder = scratch.path().join("stead.db.spool");
    let one = FileSpool::new(&folder);
    one.enter("one").await.unwrap();
    assert_eq!(reserved(&folder), (16, 65_536));
    let other = FileSpool::new(&folder);
    other.enter("other").await.unwrap();
    assert_eq!(reserved(&folder), (32, 131_072));
    drop(one);
    for restart in 0..3 {
        let next = FileSpool::new(&folder);
        next.enter(&format!("next-{restart}")).await.unwrap();
        assert_eq!(reserved(&folder), (32, 131_072));
    }
    other.put(NAME, b"sealed").await.unwrap();
    assert_eq!(reserved(&folder), (32, 131_072), "there is space");
}

/// A small disk of its own. `None` if this user can't mount one.
#[cfg(target_os = "linux")]
struct SmallDisk(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl SmallDisk {
    fn mount(folder: &Path) -> Option<Self> {
        fs::create_dir(folder).unwrap();
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
            .arg(folder)
            .status();
        let is_mounted = mounted.is_ok_and(|status| status.success());
        is_mounted.then(|| Self(folder.to_owned()))
    }

    fn fill(&self) {
        use std::io::Write as _;
        let mut file = fs::File::create(self.0.join("filling")).unwrap();
        for size in [1 << 12, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount")
            .arg("-l")
            .arg(&self.0)
            .status();
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_still_takes_records() {
    let scratch = Scratch::new();
    let Some(disk) = SmallDisk::mount(&scratch.path().join("disk")) else {
        println!("left out: this user may not mount a small disk");
        return;
    };
    let folder = disk.0.join("spool");
    let spool = FileSpool::new(&folder);
    spool.enter("one").await.unwrap();
    disk.fill();
    assert!(fs::write(disk.0.join("more"), [0; 4096]).is_err());
    // A record of three blocks, then one of one block, and so on until the reserved space is used up.
    let large = vec![b'x'; 10_000];
    spool.put("large", &large).await.unwrap();
    let mut expected = vec![(String::from("large"), large.clone())];
    for number in 0..13 {
        let record = vec![b'0' + number; 4096];
        let name = format!("record-{number:02}");
        spool.put(&name, &record).await.unwrap();
        expected.push((name, record));
    }
    let error = spool.put("one-too-many", &large).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageUnavailable);
    assert_eq!(spool.list().await.unwrap(), expected);
    // The next process finds them. Once the disk has space again, it's reserved again.
    drop(spool);
    let next = FileSpool::new(&folder);
    next.enter("next").await.unwrap();
    assert_eq!(next.list().await.unwrap(), expected);
    for (name, _) in &expected {
        next.remove(name).await.unwrap();
    }
    fs::remove_file(disk.0.join("filling")).unwrap();
    assert_eq!(next.list().await.unwrap(), []);
    assert_eq!(reserved(&folder), (16, 65_536));
}
