//! The readable views of the tools' results: what people know a file by.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use stead_core::tool::{Readable, items_of, text_of};

/// A file or folder in short. Other members that `fields` asked for are in the view `full`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct FileView {
    /// Id of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Name of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// MIME type; `application/vnd.google-apps.folder` for a folder.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// Size in bytes; absent for folders and shortcuts.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// When it was created, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    /// When it was last changed, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    modified: Option<String>,
    /// Mail addresses of its owners, or names where the product gives no more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    owners: Vec<String>,
    /// Address at which people open it.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Id of the file that a shortcut leads to.
    #[serde(skip_serializing_if = "Option::is_none")]
    shortcut_to: Option<String>,
    /// Whether it is in the trash.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    trashed: bool,
}

impl FileView {
    fn new(file: &Value) -> Self {
        let owner = |owner: &Value| {
            let email = text_of(&owner["emailAddress"]);
            email.or_else(|| text_of(&owner["displayName"]))
        };
        Self {
            id: text_of(&file["id"]),
            name: text_of(&file["name"]),
            kind: text_of(&file["mimeType"]),
            size: file["size"].as_str().and_then(|digits| digits.parse().ok()),
            created: text_of(&file["createdTime"]),
            modified: text_of(&file["modifiedTime"]),
            owners: items_of(&file["owners"]).iter().filter_map(owner).collect(),
            url: text_of(&file["webViewLink"]),
            shortcut_to: text_of(&file["shortcutDetails"]["targetId"]),
            trashed: file["trashed"] == true,
        }
    }
}

impl Readable for FileView {
    const UNTRUSTED: &'static [&'static str] = &["name"];

    fn of(result: Value) -> Self {
        Self::new(&result)
    }
}

/// A page of files in short.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FilesView {
    /// The files.
    files: Vec<FileView>,
    /// Token of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

impl Readable for FilesView {
    const UNTRUSTED: &'static [&'static str] = &["files[].name"];

    fn of(result: Value) -> Self {
        Self {
            files: items_of(&result["files"])
                .iter()
                .map(FileView::new)
                .collect(),
            next_page_token: text_of(&result["nextPageToken"]),
        }
    }
}
