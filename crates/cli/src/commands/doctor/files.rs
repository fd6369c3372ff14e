//! Checks the database's files: their permissions, and the free disk space.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::Finding;

/// Below this, a warning: the disk is full soon.
const LITTLE: u64 = 1 << 30;
/// Below this, an error: one call may fill the disk.
const NONE: u64 = 32 << 20;
/// A write-ahead log of this size hasn't been emptied for a long time.
const LONG_LOG: u64 = 256 << 20;

pub(super) fn look(database: &Path) -> Vec<Finding> {
    let mut findings: Vec<Finding> = ["", "-wal", "-shm", ".mark", ".spool"]
        .into_iter()
        .filter_map(|suffix| open_to_others(&next_to(database, suffix)))
        .collect();
    findings.extend(space(database));
    let log = next_to(database, "-wal");
    let length = fs::metadata(&log).map_or(0, |file| file.len());
    if length > LONG_LOG {
        findings.push(Finding::warning(
            "disk",
            format!("the write-ahead log has grown to {}", size(length)),
            format!(
                "A program has been reading the database for a long time. Find it with: lsof {}",
                log.display()
            ),
        ));
    }
    findings
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    match bytes >> 20 {
        mebibytes @ ..10_240 => format!("{mebibytes} MiB"),
        mebibytes => format!("{} GiB", mebibytes >> 10),
    }
}

/// A file or folder next to the database.
fn next_to(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(unix)]
fn open_to_others(file: &Path) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = fs::metadata(file).ok()?;
    let mode = metadata.permissions().mode() & 0o777;
    let kept = if metadata.is_dir() { "700" } else { "600" };
    (mode & 0o077 != 0).then(|| {
        Finding::error(
            "database",
            format!(
                "other users have access to {} (mode {mode:o})",
                file.display()
            ),
            format!("Run: chmod {kept} {}", file.display()),
        )
    })
}

#[cfg(not(unix))]
fn open_to_others(_: &Path) -> Option<Finding> {
    None
}

#[cfg(unix)]
fn space(database: &Path) -> Option<Finding> {
    let folder = std::path::absolute(database).ok()?;
    let disk = rustix::fs::statvfs(folder.parent()?).ok()?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let said = format!("{} free on the database's disk", size(free));
    let remedy = "Free some space. On a full disk, Stead can't write, and new tokens may be lost.";
    Some(match free {
        ..NONE => Finding::error("disk", said, remedy),
        NONE..LITTLE => Finding::warning("disk", said, remedy),
        LITTLE.. => Finding::ok("disk", said),
    })
}

#[cfg(not(unix))]
fn space(_: &Path) -> Option<Finding> {
    None
}
