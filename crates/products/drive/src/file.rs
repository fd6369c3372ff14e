//! A file in a result, as the product has it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file or folder (Drive API, `File`). The parameter `fields` decides which members are there; without it those of the
/// searches are fewer than those of `drive_get_file_metadata`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct File {
    /// Id of the file.
    pub id: Option<String>,
    /// Name of the file.
    pub name: Option<String>,
    /// MIME type; `application/vnd.google-apps.folder` for a folder.
    pub mime_type: Option<String>,
    /// Size in bytes, in digits; absent for folders and shortcuts.
    pub size: Option<String>,
    /// When it was created, RFC 3339.
    pub created_time: Option<String>,
    /// When it was last changed, RFC 3339.
    pub modified_time: Option<String>,
    /// Text about the file.
    pub description: Option<String>,
    /// Ids of the folders that hold it.
    #[serde(default)]
    pub parents: Vec<String>,
    /// Who owns it; no one owns the files of a shared drive.
    #[serde(default)]
    pub owners: Vec<FileUser>,
    /// Who changed it last.
    pub last_modifying_user: Option<FileUser>,
    /// Address at which people open it.
    pub web_view_link: Option<String>,
    /// Address at which people download it; absent for the product's own documents.
    pub web_content_link: Option<String>,
    /// MD5 of the content, in hexadecimal digits.
    pub md5_checksum: Option<String>,
    /// Extension of its name, without the dot.
    pub file_extension: Option<String>,
    /// Whether the user starred it.
    pub starred: Option<bool>,
    /// Whether it is in the trash.
    pub trashed: Option<bool>,
    /// Whether it is shared with others.
    pub shared: Option<bool>,
    /// Whether the user owns it.
    pub owned_by_me: Option<bool>,
    /// Id of the shared drive that holds it.
    pub drive_id: Option<String>,
    /// What a shortcut leads to.
    pub shortcut_details: Option<Shortcut>,
    /// What the user may do with it.
    pub capabilities: Option<Capabilities>,
}

/// A user (Drive API, `User`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FileUser {
    /// Name, as it is shown.
    pub display_name: Option<String>,
    /// Mail address.
    pub email_address: Option<String>,
}

/// What a shortcut leads to (Drive API, `File.shortcutDetails`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Shortcut {
    /// Id of the file that it leads to.
    pub target_id: Option<String>,
    /// MIME type of that file.
    pub target_mime_type: Option<String>,
}

/// What the user may do with a file (Drive API, `File.capabilities`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Capabilities {
    /// Whether the user may change the content.
    pub can_edit: Option<bool>,
    /// Whether the user may download it.
    pub can_download: Option<bool>,
    /// Whether the user may share it.
    pub can_share: Option<bool>,
}
