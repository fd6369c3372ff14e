//! Google's OAuth scopes, and which of them each tool takes.
//!
//! Source: `auth.oauth2.scopes` and each method's `scopes` in the discovery document `drive:v3`.

use stead_core::tool::RequiredScopes;

/// Read and write every file.
pub const DRIVE: &str = "https://www.googleapis.com/auth/drive";
/// Read every file.
pub const DRIVE_READONLY: &str = "https://www.googleapis.com/auth/drive.readonly";
/// Read and write only the files that the application made or that the user picked for it.
pub const DRIVE_FILE: &str = "https://www.googleapis.com/auth/drive.file";
/// Read and write what is known about files, without their contents.
pub const METADATA: &str = "https://www.googleapis.com/auth/drive.metadata";
/// Read what is known about files, without their contents.
pub const METADATA_READONLY: &str = "https://www.googleapis.com/auth/drive.metadata.readonly";
/// The application's own hidden files.
pub const APPDATA: &str = "https://www.googleapis.com/auth/drive.appdata";
/// Read the files that Google Meet made.
pub const MEET_READONLY: &str = "https://www.googleapis.com/auth/drive.meet.readonly";
/// Read Google Photos.
pub const PHOTOS_READONLY: &str = "https://www.googleapis.com/auth/drive.photos.readonly";

/// `files.get` and `files.list` take any of these, and show the files that it reaches.
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
