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

/// What the scopes mean, for the page on which the user is asked (Drive API, "OAuth scopes").
pub(crate) const DESCRIPTIONS: &[(&str, &str)] = &[
    (DRIVE, "See, change, create and delete all your files"),
    (DRIVE_READONLY, "See and download all your files"),
    (
        DRIVE_FILE,
        "See and change only the files that you use with this application",
    ),
    (
        METADATA,
        "See and change what is known about your files, without reading them",
    ),
    (
        METADATA_READONLY,
        "See names, owners and dates of your files, without reading them",
    ),
    (
        APPDATA,
        "Keep hidden settings of this application among your files",
    ),
    (MEET_READONLY, "See the files that Google Meet made"),
    (PHOTOS_READONLY, "See your photos, videos and albums"),
    (
        "https://www.googleapis.com/auth/drive.apps.readonly",
        "See the applications that you use with your files",
    ),
    (
        "https://www.googleapis.com/auth/drive.scripts",
        "Change what your scripts do",
    ),
];
