//! A file or folder of Drive, and a shared drive.

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::ids;

/// MIME type of a folder.
pub(crate) const FOLDER: &str = "application/vnd.google-apps.folder";
/// MIME type of a spreadsheet.
pub(crate) const SHEET: &str = "application/vnd.google-apps.spreadsheet";
/// MIME type of a text document.
pub(crate) const DOCUMENT: &str = "application/vnd.google-apps.document";
/// MIME type of a shortcut.
pub(crate) const SHORTCUT: &str = "application/vnd.google-apps.shortcut";
/// MIME type of an uploaded Office spreadsheet.
pub(crate) const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// A file or a folder.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) mime_type: String,
    pub(crate) description: Option<String>,
    /// None for a root, else one.
    pub(crate) parents: Vec<String>,
    /// No one owns a file of a shared drive.
    pub(crate) owner: Option<String>,
    /// The shared drive that holds it.
    pub(crate) drive: Option<String>,
    pub(crate) writers: Vec<String>,
    pub(crate) readers: Vec<String>,
    pub(crate) created: Timestamp,
    pub(crate) modified: Timestamp,
    pub(crate) modified_by: String,
    pub(crate) version: u64,
    pub(crate) trashed: bool,
    pub(crate) starred: bool,
    /// Whether it is a user's "My Drive" or the top of a shared drive.
    pub(crate) is_root: bool,
    /// Target of a shortcut.
    pub(crate) target: Option<String>,
    /// What full text finds, and the content of a file that was uploaded.
    pub(crate) text: String,
    /// Whether an application made it over the API: all that `drive.file` reaches.
    pub(crate) made_by_application: bool,
}

/// A shared drive.
#[derive(Debug, Clone)]
pub(crate) struct SharedDrive {
    pub(crate) id: String,
    pub(crate) members: Vec<&'static str>,
}

impl File {
    /// Whether it is kept byte by byte, and not as one of the product's own documents.
    pub(crate) fn is_blob(&self) -> bool {
        !self.mime_type.starts_with("application/vnd.google-apps.")
    }

    /// Size in bytes, where it has one.
    pub(crate) fn size(&self) -> Option<usize> {
        self.is_blob().then_some(self.text.len())
    }

    /// Digest of the content, where it has one.
    pub(crate) fn sha256(&self) -> Option<String> {
        self.is_blob()
            .then(|| ids::hex(&Sha256::digest(self.text.as_bytes())))
    }

    /// The letters after the last dot of an uploaded file's name.
    pub(crate) fn extension(&self) -> Option<&str> {
        let (_, extension) = self.name.rsplit_once('.')?;
        self.is_blob().then_some(extension)
    }
}
