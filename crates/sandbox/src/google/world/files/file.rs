//! A file or folder of Drive, and a shared drive.

use jiff::Timestamp;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::ids;

/// MIME type of a folder.
pub(crate) const FOLDER: &str = "application/vnd.google-apps.folder";
/// MIME type of a spreadsheet.
pub(crate) const SHEET: &str = "application/vnd.google-apps.spreadsheet";
/// MIME type of a shortcut.
pub(crate) const SHORTCUT: &str = "application/vnd.google-apps.shortcut";
/// MIME type of an uploaded Office spreadsheet.
pub(crate) const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// A file or a folder.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct File {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) mime_type: String,
    #[serde(default)]
    pub(crate) description: Option<String>,
    /// None for a root, else one.
    #[serde(default)]
    pub(crate) parents: Vec<String>,
    /// No one owns a file of a shared drive.
    #[serde(default)]
    pub(crate) owner: Option<String>,
    /// The shared drive that holds it.
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
    /// Target of a shortcut.
    #[serde(default)]
    pub(crate) target: Option<String>,
    /// What full text finds, and the content of a file that was uploaded.
    #[serde(default)]
    pub(crate) text: String,
    /// Whether an application made it over the API: all that `drive.file` reaches.
    #[serde(default)]
    pub(crate) made_by_application: bool,
}

/// A shared drive.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct SharedDrive {
    pub(crate) id: String,
    #[serde(borrow)]
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

fn first_version() -> u64 {
    1
}
