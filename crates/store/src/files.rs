//! Helpers for files of this machine: their names, who can read them, and what their errors mean.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use stead_core::{Error, ErrorKind};

/// Makes a new file readable only by its owner.
pub(crate) fn for_owner_only(options: &mut fs::OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = options;
}

/// The path with a suffix at the end of its file name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

pub(crate) fn unusable(error: io::Error) -> Error {
    let message = match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem => String::from("its file system is read-only"),
        _ => error.to_string(),
    };
    // Until someone changes the location or its permissions, every attempt fails in the same way.
    let is_setting = matches!(
        error.kind(),
        io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::NotFound
            | io::ErrorKind::AlreadyExists
    );
    Error::new(ErrorKind::StorageUnavailable, message)
        .with_retryable(!is_setting)
        .with_source(error)
}
