//! Keeps records in a folder while a database accepts no writes, because they must not be lost.

mod reserve;

use std::{
    fmt,
    fs::{self, File, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use futures_channel::oneshot;
use stead_core::{
    Error, ErrorKind, Result,
    ports::{BoxFuture, Spool, Spooled},
};

use self::reserve::Reserve;
use crate::files::{for_owner_only, unusable, with_suffix};

const RECORD: &str = ".record";
const LOCK: &str = ".lock";
/// A record while it is written.
const UNFINISHED: &str = ".new";
const PROCESS: &str = "process-";
/// More bytes than any record has. A larger file isn't a record.
const LARGEST: u64 = 1024 * 1024;
/// Marks of ended processes, and records that were never finished, are removed after this time.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);

/// A [`Spool`] in a folder of this machine: a file for each record, and a locked one for each process.
///
/// The folder is created when it is first needed, and only its owner can read it. When [`put`](Spool::put) returns, the
/// record is on the disk, whole or not at all. A file that can't be read is reported and stays in the folder. Don't use
/// a folder on a network share.
///
/// Each process that enters reserves 64 KiB of the disk. When the disk is full, records overwrite that space. A file
/// system that copies on write, such as Btrfs or ZFS, may still reject them.
#[derive(Clone)]
pub struct FileSpool(Arc<Folder>);

struct Folder {
    path: PathBuf,
    /// The marks of processes that this spool has entered. Their locks are held until it's dropped.
    entered: Mutex<Vec<File>>,
    /// The reserved space of the process that entered first. `None` before that.
    reserve: Mutex<Option<Reserve>>,
}

impl FileSpool {
    /// A spool in a folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Folder {
            path: folder.into(),
            entered: Mutex::default(),
            reserve: Mutex::default(),
        }))
    }

    /// A spool next to a database: in the folder `<database>.spool`.
    pub fn next_to(database: impl AsRef<Path>) -> Self {
        Self::new(with_suffix(database.as_ref(), ".spool"))
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.0.path
    }

    /// Whether a process that has entered it is still running.
    pub(crate) fn is_in_use(&self) -> BoxFuture<'static, Result<bool>> {
        self.on_disk("couldn't read the marks of processes", |folder| {
            for entry in entries(&folder.path)? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let is_mark = name.starts_with(PROCESS) && name.ends_with(LOCK);
                if is_mark && !is_free(&File::open(entry.path())?)? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// Runs blocking work on a thread of its own. It's rare, and the caller can use any runtime.
    fn on_disk<T: Send + 'static>(
        &self,
        what: &'static str,
        work: impl FnOnce(&Folder) -> io::Result<T> + Send + 'static,
    ) -> BoxFuture<'static, Result<T>> {
        let folder = Arc::clone(&self.0);
        Box::pin(async move {
            let (response, wait) = oneshot::channel();
            let path = folder.path.clone();
            let started = thread::Builder::new()
                .name(String::from("stead-spool"))
                .spawn(move || {
                    let done = work(&folder);
                    drop(folder);
                    // The caller may be gone, but the work is done.
                    let _ = response.send(done);
                });
            let done = match started {
                Ok(_) => wait
                    .await
                    .unwrap_or_else(|_| Err(io::Error::other("it panicked"))),
                Err(error) => Err(error),
            };
            done.map_err(|error| {
                let error = unusable(error);
                let message = format!("the spool {}: {what}: {}", path.display(), error.message());
                Error::new(error.kind(), message)
                    .with_retryable(error.retryable())
                    .with_source(error)
            })
        })
    }
}

impl fmt::Debug for FileSpool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FileSpool").field(&self.0.path).finish()
    }
}

impl Spool for FileSpool {
    fn enter<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<()>> {
        let name = match named(process) {
            Ok(name) => name.to_owned(),
            Err(error) => return Box::pin(async { Err(error) }),
        };
        self.on_disk("the process couldn't register in the spool", move |folder| {
            folder.make()?;
            let mark = create(&folder.path.join(format!("{PROCESS}{name}{LOCK}")))?;
            mark.try_lock()?;
            lock(&folder.entered).push(mark);
            lock(&folder.reserve).get_or_insert_with(|| Reserve::new(name));
            folder.tidy()?;
            if let Err(error) = folder.reserve_room() {
                let folder = folder.path.display();
                tracing::warn!(%folder, %error, "the spool couldn't reserve disk space; if the disk is full, new tokens are only in memory");
            }
            Ok(())
        })
    }

    fn has_ended<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<bool>> {
        let file = match named(process) {
            Ok(name) => format!("{PROCESS}{name}{LOCK}"),
            Err(error) => return Box::pin(async { Err(error) }),
        };
        self.on_disk(
            "couldn't read the mark of a process",
            move |folder| match File::open(folder.path.join(file)) {
                Ok(mark) => is_free(&mark),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
                Err(error) => Err(error),
            },
        )
    }

    fn put<'a>(&'a self, name: &'a str, record: &'a [u8]) -> BoxFuture<'a, Result<()>> {
        let name = match named(name) {
            Ok(name) => name.to_owned(),
            Err(error) => return Box::pin(async { Err(error) }),
        };
        let record = record.to_vec();
        self.on_disk("couldn't keep a record", move |folder| {
            folder.make()?;
            let mut written = folder
                .path
                .join(format!("{name}.{}{UNFINISHED}", std::process::id()));
            if let Err(error) = write(&written, &record) {
                let _ = fs::remove_file(&written);
                let room = lock(&folder.reserve)
                    .as_mut()
                    .and_then(|reserve| reserve.take(record.len()));
                written = room.ok_or(error)?;
                write(&written, &record)?;
            }
            fs::rename(&written, folder.path.join(format!("{name}{RECORD}")))?;
            sync_folder(&folder.path)
        })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Spooled>>> {
        self.on_disk("couldn't list the records", |folder| {
            // The records that used the reserved space may be gone by now. If the disk is still full, the next call
            // tries again.
            let _ = folder.reserve_room();
            let mut records = Vec::new();
            for entry in entries(&folder.path)? {
                let file = entry?.path();
                let Some(name) = record_name(&file) else {
                    continue;
                };
                match read(&file) {
                    Ok(record) => records.push((name, record)),
                    // Another process may have removed it in the meantime.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => {
                        tracing::error!(file = %file.display(), %error, "couldn't read a record that isn't stored yet; Stead leaves it in place");
                    }
                }
            }
            records.sort();
            Ok(records)
        })
    }

    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<()>> {
        let file = match named(name) {
            Ok(name) => format!("{name}{RECORD}"),
            Err(error) => return Box::pin(async { Err(error) }),
        };
        self.on_disk(
            "couldn't delete a record",
            move |folder| match fs::remove_file(folder.path.join(file)) {
                Ok(()) => sync_folder(&folder.path),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
            },
        )
    }
}

impl Folder {
    /// Creates the folder if it's missing, and closes it to others.
    fn make(&self) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
            builder.mode(0o700).create(&self.path)?;
            if fs::metadata(&self.path)?.permissions().mode() & 0o077 != 0 {
                fs::set_permissions(&self.path, fs::Permissions::from_mode(0o700))?;
            }
        }
        #[cfg(not(unix))]
        builder.create(&self.path)?;
        Ok(())
    }

    /// Reserves the space of the entered process again, if some of it was used.
    fn reserve_room(&self) -> io::Result<()> {
        match lock(&self.reserve).as_mut() {
            Some(reserve) => reserve.fill(&self.path),
            None => Ok(()),
        }
    }

    /// Removes files that ended processes have left and that no one needs any more.
    fn tidy(&self) -> io::Result<()> {
        for entry in entries(&self.path)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_mark = name.starts_with(PROCESS) && name.ends_with(LOCK);
            if !is_mark && !name.ends_with(UNFINISHED) {
                continue;
            }
            let age = entry.metadata().and_then(|metadata| metadata.modified());
            let age = age.ok().and_then(|since| since.elapsed().ok());
            if age.is_none_or(|age| age < STALE) {
                continue;
            }
            let is_over = !is_mark
                || File::open(entry.path())
                    .and_then(|mark| is_free(&mark))
                    .unwrap_or(false);
            if is_over {
                // Another process may remove it at the same time.
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }
}

/// Whether no one holds the lock of a process. The lock is shared, so that two checks don't block each other.
fn is_free(mark: &File) -> io::Result<bool> {
    match mark.try_lock_shared() {
        Ok(()) => mark.unlock().map(|()| true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Opens a file for writing, and creates it if it's missing. Only its owner can read it.
fn create(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    for_owner_only(&mut options);
    options.open(path)
}

/// Writes a file durably. Overwriting a longer file needs no space on the disk.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = create(path)?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let size = fs::metadata(file)?.len();
    if size > LARGEST {
        let why = format!("it has {size} bytes, but a record has at most {LARGEST}");
        return Err(io::Error::other(why));
    }
    fs::read(file)
}

/// The entries of the folder, or none if it doesn't exist yet.
fn entries(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<fs::DirEntry>> + use<>> {
    match fs::read_dir(folder) {
        Ok(entries) => Ok(Some(entries).into_iter().flatten()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None.into_iter().flatten()),
        Err(error) => Err(error),
    }
}

fn record_name(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?.strip_suffix(RECORD)?;
    named(name).ok().map(str::to_owned)
}

/// Checks that a name is valid, because it becomes part of a path.
fn named(name: &str) -> Result<&str> {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    if (1..=100).contains(&name.len()) && name.bytes().all(is_plain) {
        return Ok(name);
    }
    Err(Error::new(
        ErrorKind::InvalidRequest,
        format!(
            "{name:?} isn't the name of a record; expected 1 to 100 characters of a-z, 0-9 and -"
        ),
    ))
}

/// Makes the names in a folder durable.
fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
