//! Disk space that a process reserves for its records, so that a full disk still accepts some.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{LOCK, PROCESS, entries, is_free, write};

/// Suffix of the files that reserve space.
pub(super) const RESERVE: &str = ".reserve";
/// Bytes of such a file, enough for the tokens of most products.
const SIZE: usize = 4096;
/// Files of a process, 64 KiB in total.
const FILES: u32 = 16;

/// The reserved space of one process.
pub(super) struct Reserve {
    process: String,
    files: Vec<PathBuf>,
}

impl Reserve {
    pub(super) fn new(process: String) -> Self {
        Self {
            process,
            files: Vec::new(),
        }
    }

    /// Reserves all of the space again. Files of ended processes are used first, so that a restart on a full disk has
    /// space too.
    pub(super) fn fill(&mut self, folder: &Path) -> io::Result<()> {
        if self.files.len() == FILES as usize {
            return Ok(());
        }
        let mut left = left_over(folder)?;
        for number in 0..FILES {
            let file = folder.join(format!("{PROCESS}{}-{number:02}{RESERVE}", self.process));
            if self.files.contains(&file) {
                continue;
            }
            // Another process may take the same file. In that case, the next one does as well.
            while let Some(old) = left.pop() {
                if fs::rename(old, &file).is_ok() {
                    break;
                }
            }
            allocate(&file)?;
            self.files.push(file);
        }
        for old in left {
            let _ = fs::remove_file(old);
        }
        Ok(())
    }

    /// A file with enough blocks for a record of this length. A long record needs the space of several files.
    pub(super) fn take(&mut self, length: usize) -> Option<PathBuf> {
        let more = length.saturating_sub(1) / SIZE;
        if self.files.len() <= more {
            return None;
        }
        for file in self.files.split_off(self.files.len() - more) {
            let _ = fs::remove_file(file);
        }
        self.files.pop()
    }
}

/// Files of processes that have ended.
fn left_over(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut left = Vec::new();
    for entry in entries(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(RESERVE) else {
            continue;
        };
        let process = stem.rsplit_once('-').map_or(stem, |(process, _)| process);
        let has_ended = match fs::File::open(folder.join(format!("{process}{LOCK}"))) {
            Ok(mark) => is_free(&mark).unwrap_or(false),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if has_ended {
            left.push(entry.path());
        }
    }
    Ok(left)
}

/// Writes the whole file, because a file system allocates no blocks for bytes that were never written.
fn allocate(file: &Path) -> io::Result<()> {
    if fs::metadata(file).is_ok_and(|found| found.len() == SIZE as u64) {
        return Ok(());
    }
    let written = write(file, &[b'.'; SIZE]);
    if written.is_err() {
        let _ = fs::remove_file(file);
    }
    written
}
