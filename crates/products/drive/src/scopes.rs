//! Google's OAuth scopes, and the scopes that each tool needs.
//!
//! Source: `auth.oauth2.scopes` and each method's `scopes` in the discovery document `drive:v3`.

use stead_core::tool::RequiredScopes;

/// Read and write every file.
pub const DRIVE: &str = "https://www.googleapis.com/auth/drive";
/// Read every file.
pub const DRIVE_READONLY: &str = "https://www.googleapis.com/auth/drive.readonly";
/// Read and write only files that the application created or that the user picked for it.
pub const DRIVE_FILE: &str = "https://www.googleapis.com/auth/drive.file";
/// Read and write metadata of files, without content.
pub const METADATA: &str = "https://www.googleapis.com/auth/drive.metadata";
/// Read metadata of files, without content.
pub const METADATA_READONLY: &str = "https://www.googleapis.com/auth/drive.metadata.readonly";
/// Read and write the application's own hidden files.
pub const APPDATA: &str = "https://www.googleapis.com/auth/drive.appdata";
/// Read files that Google Meet created.
pub const MEET_READONLY: &str = "https://www.googleapis.com/auth/drive.meet.readonly";
/// Read Google Photos.
pub const PHOTOS_READONLY: &str = "https://www.googleapis.com/auth/drive.photos.readonly";

/// For `files.get` and `files.list`. Any of these scopes works, and limits the files that they return.
pub(crate) const FILES: RequiredScopes = RequiredScopes(&[
    DRIVE_READONLY,
    METADATA_READONLY,
    DRIVE,
    METADATA,
    DRIVE_FILE,
    APPDATA,
    MEET_READONLY,
    PHOTOS_READONLY,
]);
/// For `files.create` in My Drive and shared drives.
pub(crate) const CREATE: RequiredScopes = RequiredScopes(&[DRIVE_FILE, DRIVE]);
