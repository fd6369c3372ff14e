//! The database file: who can read it, and whether the file at the path is still the open one.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use stead_core::{Error, ErrorKind, Result};

use crate::{
    fault::Fault,
    files::{for_owner_only, unusable, with_suffix},
};

/// The file that a store has open.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    pub(super) path: PathBuf,
    /// Device and number of the file, if the system has them.
    identity: Option<(u64, u64)>,
}

impl DatabaseFile {
    /// Creates an empty file for its owner only, or finds an existing one, which stays unchanged.
    pub(super) fn create(path: &Path) -> Result<Self> {
        // SQLite would read a name that starts with "file:" as a URI. An absolute path can't start like that.
        let path = std::path::absolute(path).map_err(unusable)?;
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        for_owner_only(&mut options);
        match options.open(&path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => inspect(&path)?,
            Err(error) => return Err(unusable(error)),
        }
        let identity = identity(&path).map_err(unusable)?;
        Ok(Self { path, identity })
    }

    /// A store whose file was deleted would continue in a file that no one can open again, and lose everything when it
    /// closes.
    pub(super) fn check(&self) -> Result<(), Fault> {
        match identity(&self.path) {
            Ok(present) if present == self.identity => Ok(()),
            Ok(_) => Err(Fault::new(format!(
                "its file {} was replaced while it was open; restart this process",
                self.path.display()
            ))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Fault::new(format!(
                "its file {} was deleted",
                self.path.display()
            ))),
            Err(error) => Err(Fault::new(format!(
                "its file {} can't be reached ({error})",
                self.path.display()
            ))),
        }
    }
}

/// Inspects an existing file without opening it. Closing it again would release the locks that this process may hold on
/// it (SQLite, How To Corrupt An SQLite Database File, 2.2).
fn inspect(path: &Path) -> Result<()> {
    let metadata = fs::metadata(path).map_err(unusable)?;
    if !metadata.is_file() {
        return Err(Error::new(ErrorKind::StorageUnavailable, "it isn't a file"));
    }
    Ok(())
}

/// Why an existing file can't be written: because of its file system, its folder or the file itself. To check the
/// folder, this creates a file in it and removes it immediately.
pub(super) fn why_read_only(path: &Path) -> Option<String> {
    let path = std::path::absolute(path).ok()?;
    let probe = with_suffix(&path, &format!(".probe-{}", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    match options.open(&probe) {
        Ok(_) => {
            // If it stays, it's empty.
            let _ = fs::remove_file(&probe);
        }
        Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => {
            return Some(String::from("its file system is read-only"));
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return Some(String::from(
                "its folder is read-only for this user, but Stead needs to write a log next to the database",
            ));
        }
        Err(_) => return None,
    }
    let permissions = fs::metadata(&path).ok()?.permissions();
    permissions
        .readonly()
        .then(|| String::from("the file is read-only for this user"))
}

/// Makes the file and the log next to it accessible only to its owner. It must be known to be Stead's, because another
/// program may share its file on purpose.
#[cfg(unix)]
pub(super) fn close_to_others(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    for file in ["", "-wal", "-shm"].map(|suffix| with_suffix(path, suffix)) {
        let Ok(metadata) = fs::metadata(&file) else {
            continue;
        };
        let mode = metadata.permissions().mode();
        if mode & 0o077 == 0 {
            continue;
        }
        if let Err(error) = fs::set_permissions(&file, fs::Permissions::from_mode(0o600)) {
            let message = format!(
                "other users have access to {} and this process can't remove it ({error}); run chmod 600 as the owner",
                file.display()
            );
            return Err(Error::new(ErrorKind::StorageUnavailable, message).with_source(error));
        }
        tracing::warn!(file = %file.display(), mode = format_args!("{:o}", mode & 0o777), "other users were able to read the database file; Stead changed its mode to 600");
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn close_to_others(_: &Path) -> Result<()> {
    Ok(())
}

#[cfg(unix)]
fn identity(path: &Path) -> io::Result<Option<(u64, u64)>> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).map(|metadata| Some((metadata.dev(), metadata.ino())))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<Option<(u64, u64)>> {
    fs::metadata(path).map(|_| None)
}
