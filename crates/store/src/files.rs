//! What files of this machine have in common: their names, who may read them, and what their errors mean.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use stead_core::{Error, ErrorKind};

/// Lets a new file be read by its owner only.
pub(crate) fn for_owner_only(options: &mut fs::OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = options;
}

/// The path with something added to its last name.
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
    // Until somebody changes the place or its rights, the next attempt fails in the same way.
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
