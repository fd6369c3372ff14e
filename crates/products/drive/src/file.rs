//! A file, as the product returns it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file or folder (Drive API, `File`). The parameter `fields` selects the members. Without it, searches return fewer
/// members than `drive_get_file_metadata`.
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
    /// Size in bytes, as a decimal string; absent for folders and shortcuts.
    pub size: Option<String>,
    /// When it was created, RFC 3339.
    pub created_time: Option<String>,
    /// When it was last changed, RFC 3339.
    pub modified_time: Option<String>,
    /// Description of the file.
    pub description: Option<String>,
    /// Ids of the folders that contain it.
    #[serde(default)]
    pub parents: Vec<String>,
    /// The owners; empty for files in a shared drive.
    #[serde(default)]
    pub owners: Vec<FileUser>,
    /// The user who last changed it.
    pub last_modifying_user: Option<FileUser>,
    /// Link to open the file in a browser.
    pub web_view_link: Option<String>,
    /// Link to download the file in a browser; absent for Google's own document types.
    pub web_content_link: Option<String>,
    /// MD5 of the content, in hexadecimal.
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
    /// Id of the shared drive that contains it.
    pub drive_id: Option<String>,
    /// The target of a shortcut.
    pub shortcut_details: Option<Shortcut>,
    /// The user's rights on the file.
    pub capabilities: Option<Capabilities>,
}

/// A user (Drive API, `User`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FileUser {
    /// Display name.
    pub display_name: Option<String>,
    /// Email address.
    pub email_address: Option<String>,
}

/// The target of a shortcut (Drive API, `File.shortcutDetails`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Shortcut {
    /// Id of the target file.
    pub target_id: Option<String>,
    /// MIME type of the target file.
    pub target_mime_type: Option<String>,
}

/// The user's rights on a file (Drive API, `File.capabilities`).
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
