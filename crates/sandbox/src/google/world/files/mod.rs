//! The files and spreadsheets of Drive and Sheets. Users share them, so they're stored next to the users.

mod spreadsheet;

use bytes::Bytes;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{shared, users::parse_seed};

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
    /// The initial files.
    pub(crate) fn seeded() -> Self {
        parse_seed(include_str!("../files.json"))
    }

    pub(crate) fn file(&self, id: &str) -> Option<&File> {
        self.all.iter().find(|file| file.id == id)
    }

    /// The same, to change the file.
    pub(crate) fn change_file(&mut self, id: &str) -> Option<&mut File> {
        self.all.iter_mut().find(|file| file.id == id)
    }

    /// Permanently deletes a file, and everything in it.
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

    pub(crate) fn drive(&self, id: &str) -> Option<&SharedDrive> {
        self.drives.iter().find(|drive| drive.id == id)
    }

    pub(crate) fn spreadsheet(&self, id: &str) -> Option<&Spreadsheet> {
        self.spreadsheets.iter().find(|sheet| sheet.id == id)
    }

    /// The same, to change the spreadsheet. Its file changes too.
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

    pub(crate) fn may_see(&self, file: &File, user: &str) -> bool {
        self.may_change(file, user) || file.readers.iter().any(|reader| reader == user)
    }

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

/// The files that one user may see.
pub(crate) fn files(files: &Files, user: &str) -> Value {
    let seen = files.all.iter().filter(|file| files.may_see(file, user));
    seen.map(file).collect()
}

/// The spreadsheets that one user may see.
pub(crate) fn spreadsheets(files: &Files, user: &str) -> Value {
    let seen = files.spreadsheets.iter().filter_map(|sheet| {
        let file = files.file(&sheet.id)?;
        let may_change = files.may_change(file, user);
        files
            .may_see(file, user)
            .then(|| spreadsheet(sheet, &file.name, may_change))
    });
    seen.collect()
}

fn file(file: &File) -> Value {
    json!({
        "id": file.id,
        "name": file.name,
        "mime_type": file.mime_type,
        "parents": file.parents,
        "owner": file.owner,
        "drive_id": file.drive,
        "modified": file.modified.to_string(),
        "trashed": file.trashed,
        "starred": file.starred,
        "is_root": file.is_root,
        "size": file.size(),
        "text": file.text,
    })
}

fn spreadsheet(sheet: &Spreadsheet, title: &str, may_change: bool) -> Value {
    json!({
        "id": sheet.id,
        "title": title,
        "may_change": may_change,
        "sheets": sheet.sheets.iter().map(one).collect::<Vec<_>>(),
    })
}

/// Shows a sheet with the entered contents of its cells, row by row.
fn one(sheet: &Sheet) -> Value {
    let cells: Vec<Value> = sheet
        .cells
        .iter()
        .map(
            |((row, column), cell)| json!({"row": row, "column": column, "entered": entered(cell)}),
        )
        .collect();
    json!({"id": sheet.id, "title": sheet.title, "rows": sheet.rows, "columns": sheet.columns, "cells": cells})
}

fn entered(cell: &Cell) -> Value {
    match &cell.entered {
        Entered::Text(text) | Entered::Formula(text) => json!(text),
        Entered::Number(number) => json!(number),
        Entered::Bool(value) => json!(value),
    }
}

/// MIME type of a folder.
pub(crate) const FOLDER: &str = "application/vnd.google-apps.folder";
/// MIME type of a spreadsheet.
pub(crate) const SHEET: &str = "application/vnd.google-apps.spreadsheet";
/// MIME type of a shortcut.
pub(crate) const SHORTCUT: &str = "application/vnd.google-apps.shortcut";
/// MIME type of an uploaded Office spreadsheet.
pub(crate) const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// MIME type of a text document.
pub(crate) const DOCUMENT: &str = "application/vnd.google-apps.document";

/// A full-text search doesn't find the words of longer texts.
const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// A file or a folder.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct File {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) mime_type: String,
    #[serde(default)]
    pub(crate) description: Option<String>,
    /// The folder. Empty for a root.
    #[serde(default)]
    pub(crate) parents: Vec<String>,
    /// The owner. `None` for a file in a shared drive.
    #[serde(default)]
    pub(crate) owner: Option<String>,
    /// The shared drive that contains it.
    #[serde(default)]
    pub(crate) drive: Option<String>,
    #[serde(default)]
    pub(crate) writers: Vec<String>,
    #[serde(default)]
    pub(crate) readers: Vec<String>,
    pub(crate) created: Timestamp,
    pub(crate) modified: Timestamp,
    pub(crate) modified_by: String,
    #[serde(default = "first_version")]
    pub(crate) version: u64,
    #[serde(default)]
    pub(crate) trashed: bool,
    #[serde(default)]
    pub(crate) starred: bool,
    /// Whether it is a user's "My Drive" or the top of a shared drive.
    #[serde(default)]
    pub(crate) is_root: bool,
    /// The target of a shortcut.
    #[serde(default)]
    pub(crate) target: Option<String>,
    /// The text that a full-text search finds. It's also the content if the file is a text.
    #[serde(default)]
    pub(crate) text: String,
    /// The content of an uploaded file that isn't a text.
    #[serde(skip)]
    pub(crate) content: Option<Content>,
    /// Whether an application created it over the API. `drive.file` covers only such files.
    #[serde(default)]
    pub(crate) made_by_application: bool,
}

/// Bytes with their digest, which is calculated once.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    bytes: Bytes,
    sha256: String,
}

/// A shared drive.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct SharedDrive {
    pub(crate) id: String,
    #[serde(borrow)]
    pub(crate) members: Vec<&'static str>,
}

impl File {
    /// An empty file that an application creates for a user.
    pub(crate) fn new(id: &str, name: &str, mime_type: &str, user: &str, now: Timestamp) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            mime_type: mime_type.to_owned(),
            description: None,
            parents: Vec::new(),
            owner: Some(user.to_owned()),
            drive: None,
            writers: Vec::new(),
            readers: Vec::new(),
            created: now,
            modified: now,
            modified_by: user.to_owned(),
            version: first_version(),
            trashed: false,
            starred: false,
            is_root: false,
            target: None,
            text: String::new(),
            content: None,
            made_by_application: true,
        }
    }

    /// Whether the file has bytes, and isn't one of Google's own documents.
    pub(crate) fn is_blob(&self) -> bool {
        !self.mime_type.starts_with("application/vnd.google-apps.")
    }

    /// The size in bytes. `None` for one of Google's own documents.
    pub(crate) fn size(&self) -> Option<usize> {
        let length = match &self.content {
            Some(content) => content.bytes.len(),
            None => self.text.len(),
        };
        self.is_blob().then_some(length)
    }

    /// The digest of the content. `None` for one of Google's own documents.
    pub(crate) fn sha256(&self) -> Option<String> {
        self.is_blob().then(|| match &self.content {
            Some(content) => content.sha256.clone(),
            None => digest(self.text.as_bytes()),
        })
    }

    pub(crate) fn bytes(&self) -> Bytes {
        match &self.content {
            Some(content) => content.bytes.clone(),
            None => Bytes::from(self.text.clone()),
        }
    }

    /// Replaces the content. A full-text search finds it if it's a text.
    pub(crate) fn set_bytes(&mut self, bytes: Bytes) {
        let is_text = self.mime_type.starts_with("text/") || self.mime_type == "application/json";
        let text = std::str::from_utf8(&bytes).ok();
        match text.filter(|_| (is_text && bytes.len() <= MAX_TEXT_BYTES) || !self.is_blob()) {
            Some(text) => {
                self.text = text.to_owned();
                self.content = None;
            }
            None => {
                self.text.clear();
                let sha256 = digest(&bytes);
                self.content = Some(Content { bytes, sha256 });
            }
        }
    }

    /// The letters after the last dot in the name of an uploaded file.
    pub(crate) fn extension(&self) -> Option<&str> {
        let (_, extension) = self.name.rsplit_once('.')?;
        self.is_blob().then_some(extension)
    }
}

fn digest(bytes: &[u8]) -> String {
    shared::hex(&Sha256::digest(bytes))
}

fn first_version() -> u64 {
    1
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
