//! Files and spreadsheets: what Drive and Sheets show. Unlike mail, they are shared between users, so they
//! are kept next to the users, not within them.

mod file;
pub(crate) mod readable;
mod spreadsheet;

use jiff::Timestamp;
use serde::Deserialize;

use crate::users::parse_seed;

pub(crate) use file::{DOCUMENT, FOLDER, File, SHEET, SHORTCUT, SharedDrive, XLSX};
pub(crate) use spreadsheet::{Cell, Entered, Format, Sheet, Spreadsheet};

/// All files, shared drives and spreadsheets.
#[derive(Debug, Clone, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct Files {
    pub(crate) all: Vec<File>,
    pub(crate) drives: Vec<SharedDrive>,
    pub(crate) spreadsheets: Vec<Spreadsheet>,
}

impl Files {
    /// The seeded beginning.
    pub(crate) fn seeded() -> Self {
        parse_seed(include_str!("../files.json"))
    }

    /// The file of this id.
    pub(crate) fn file(&self, id: &str) -> Option<&File> {
        self.all.iter().find(|file| file.id == id)
    }

    /// The file of this id, to change it.
    pub(crate) fn change_file(&mut self, id: &str) -> Option<&mut File> {
        self.all.iter_mut().find(|file| file.id == id)
    }

    /// Takes a file away for good, with all that is within it.
    pub(crate) fn delete(&mut self, id: &str) {
        let within: Vec<String> = self
            .all
            .iter()
            .filter(|file| file.parents.iter().any(|parent| parent == id))
            .map(|file| file.id.clone())
            .collect();
        self.all.retain(|file| file.id != id);
        self.spreadsheets.retain(|sheet| sheet.id != id);
        for id in within {
            self.delete(&id);
        }
    }

    /// The shared drive of this id.
    pub(crate) fn drive(&self, id: &str) -> Option<&SharedDrive> {
        self.drives.iter().find(|drive| drive.id == id)
    }

    /// The spreadsheet of this id.
    pub(crate) fn spreadsheet(&self, id: &str) -> Option<&Spreadsheet> {
        self.spreadsheets.iter().find(|sheet| sheet.id == id)
    }

    /// The spreadsheet of this id, to change it: its file changes with it.
    pub(crate) fn change_spreadsheet(
        &mut self,
        id: &str,
        user: &str,
        now: Timestamp,
    ) -> Option<&mut Spreadsheet> {
        let file = self.all.iter_mut().find(|file| file.id == id)?;
        file.modified = now;
        file.modified_by = user.to_owned();
        file.version += 1;
        self.spreadsheets.iter_mut().find(|sheet| sheet.id == id)
    }

    /// Whether a user may see a file.
    pub(crate) fn may_see(&self, file: &File, user: &str) -> bool {
        self.may_change(file, user) || file.readers.iter().any(|reader| reader == user)
    }

    /// Whether a user may change a file.
    pub(crate) fn may_change(&self, file: &File, user: &str) -> bool {
        let member = |id: &String| {
            self.drive(id)
                .is_some_and(|drive| drive.members.contains(&user))
        };
        file.owner.as_deref() == Some(user)
            || file.writers.iter().any(|writer| writer == user)
            || file.drive.as_ref().is_some_and(member)
    }

    /// The folder "My Drive" of a user.
    pub(crate) fn root(&self, user: &str) -> Option<&File> {
        self.all.iter().find(|file| {
            file.parents.is_empty() && file.owner.as_deref() == Some(user) && file.is_root
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_every_parent_exists() {
        let files = Files::seeded().all;
        let ids: BTreeSet<&str> = files.iter().map(|file| file.id.as_str()).collect();
        assert_eq!(ids.len(), files.len());
        for file in &files {
            for parent in &file.parents {
                assert!(ids.contains(parent.as_str()), "{}", file.name);
            }
            assert_ne!(file.modified, Timestamp::UNIX_EPOCH, "{}", file.name);
        }
    }
}
