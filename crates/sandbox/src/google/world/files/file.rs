//! A file or folder of Drive, and a shared drive.

use bytes::Bytes;
use jiff::Timestamp;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::shared;

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

/// Longer texts are not found by their words.
const MAX_TEXT_BYTES: usize = 1024 * 1024;

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
    /// What full text finds, and the content of a file that is a text.
    #[serde(default)]
    pub(crate) text: String,
    /// The content of an uploaded file that is not a text.
    #[serde(skip)]
    pub(crate) content: Option<Content>,
    /// Whether an application made it over the API: all that `drive.file` reaches.
    #[serde(default)]
    pub(crate) made_by_application: bool,
}

/// Bytes with their digest, which is made once.
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
    /// A file without content that an application makes for a user.
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

    /// Whether it is kept byte by byte, and not as one of the product's own documents.
    pub(crate) fn is_blob(&self) -> bool {
        !self.mime_type.starts_with("application/vnd.google-apps.")
    }

    /// Size in bytes, where it has one.
    pub(crate) fn size(&self) -> Option<usize> {
        let length = match &self.content {
            Some(content) => content.bytes.len(),
            None => self.text.len(),
        };
        self.is_blob().then_some(length)
    }

    /// Digest of the content, where it has one.
    pub(crate) fn sha256(&self) -> Option<String> {
        self.is_blob().then(|| match &self.content {
            Some(content) => content.sha256.clone(),
            None => digest(self.text.as_bytes()),
        })
    }

    /// The content.
    pub(crate) fn bytes(&self) -> Bytes {
        match &self.content {
            Some(content) => content.bytes.clone(),
            None => Bytes::from(self.text.clone()),
        }
    }

    /// Replaces the content. Full text finds what is a text.
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

    /// The letters after the last dot of an uploaded file's name.
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
