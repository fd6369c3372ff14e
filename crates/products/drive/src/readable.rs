//! The readable views of the results.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use stead_core::tool::{Readable, items_of, text_of};

/// A file or folder, shortened.
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
    /// The owners, such as `Ada <ada@example.com>`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    owners: Vec<String>,
    /// Link to open the file in a browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Id of a shortcut's target.
    #[serde(skip_serializing_if = "Option::is_none")]
    shortcut_to: Option<String>,
    /// Whether it is in the trash.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    trashed: bool,
    /// Other members, such as `parents`, as the product returns them.
    #[serde(skip_serializing_if = "Map::is_empty")]
    fields: Map<String, Value>,
}

/// Members that the view shows in another form.
const SHOWN: [&str; 7] = [
    "id",
    "name",
    "mimeType",
    "createdTime",
    "modifiedTime",
    "webViewLink",
    "trashed",
];

/// Members that the view doesn't show in another form.
fn others(file: &Value) -> Map<String, Value> {
    let mut fields = file.as_object().cloned().unwrap_or_default();
    let says_only = |value: &Value, shown: &[&str]| {
        let mut members = value.as_object().into_iter().flatten();
        members.all(|(name, _)| shown.contains(&name.as_str()))
    };
    fields.retain(|name, value| match name.as_str() {
        "size" => size_of(value).is_none(),
        "owners" => {
            let mut owners = items_of(value).iter();
            !owners.all(|owner| says_only(owner, &["displayName", "emailAddress"]))
        }
        "shortcutDetails" => !says_only(value, &["targetId"]),
        name => !SHOWN.contains(&name),
    });
    fields
}

fn size_of(size: &Value) -> Option<u64> {
    size.as_str()?.parse().ok()
}

impl FileView {
    fn new(file: &Value) -> Self {
        let owner = |owner: &Value| {
            let (name, email) = (
                text_of(&owner["displayName"]),
                text_of(&owner["emailAddress"]),
            );
            match (name, email) {
                (Some(name), Some(email)) => Some(format!("{name} <{email}>")),
                (name, email) => name.or(email),
            }
        };
        Self {
            id: text_of(&file["id"]),
            name: text_of(&file["name"]),
            kind: text_of(&file["mimeType"]),
            size: size_of(&file["size"]),
            created: text_of(&file["createdTime"]),
            modified: text_of(&file["modifiedTime"]),
            owners: items_of(&file["owners"]).iter().filter_map(owner).collect(),
            url: text_of(&file["webViewLink"]),
            shortcut_to: text_of(&file["shortcutDetails"]["targetId"]),
            trashed: file["trashed"] == true,
            fields: others(file),
        }
    }
}

impl Readable for FileView {
    const UNTRUSTED: &'static [&'static str] = &["name", "owners", "fields"];

    fn of(result: Value) -> Self {
        Self::new(&result)
    }
}

/// A page of files, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FilesView {
    /// The files.
    files: Vec<FileView>,
    /// Token of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
    /// Other members of the list that the call asked for, as the product returns them.
    #[serde(skip_serializing_if = "Map::is_empty")]
    fields: Map<String, Value>,
}

impl Readable for FilesView {
    const UNTRUSTED: &'static [&'static str] =
        &["files[].name", "files[].owners", "files[].fields", "fields"];

    fn of(result: Value) -> Self {
        let mut fields = result.as_object().cloned().unwrap_or_default();
        // A warning already reports an incomplete search.
        fields.retain(|name, _| {
            !matches!(
                name.as_str(),
                "files" | "nextPageToken" | "incompleteSearch"
            )
        });
        Self {
            fields,
            files: items_of(&result["files"])
                .iter()
                .map(FileView::new)
                .collect(),
            next_page_token: text_of(&result["nextPageToken"]),
        }
    }
}
