//! Drive API v3, reading metadata. A folder is an API, a file is a method.

mod files_get;
mod files_list;
mod index;
mod order;
mod query;
mod render;
mod tokens;

use crate::google::{
    Api, Call,
    errors::ErrorShape,
    world::files::{File, Files},
};

/// `https://www.googleapis.com/drive/v3`.
pub(crate) static DRIVE_API: Api = Api {
    service: "drive.googleapis.com",
    errors: ErrorShape::Mixed,
    methods: &[&files_list::METHOD, &files_get::METHOD],
};

/// Scopes of files.get and files.list (discovery, `scopes`).
const SCOPES: &[&str] = &[
    "https://www.googleapis.com/auth/drive",
    "https://www.googleapis.com/auth/drive.appdata",
    "https://www.googleapis.com/auth/drive.file",
    "https://www.googleapis.com/auth/drive.meet.readonly",
    "https://www.googleapis.com/auth/drive.metadata",
    "https://www.googleapis.com/auth/drive.metadata.readonly",
    "https://www.googleapis.com/auth/drive.photos.readonly",
    "https://www.googleapis.com/auth/drive.readonly",
];

/// Whether the caller's user may see the file, and the token's scopes reach it. The narrow scopes reach what
/// applications made; the sandbox has no hidden settings, meetings or photos.
fn can_see(files: &Files, call: &Call, file: &File) -> bool {
    let broad = [
        "drive",
        "drive.readonly",
        "drive.metadata",
        "drive.metadata.readonly",
    ];
    let reaches = broad.iter().any(|scope| call.has_scope(scope))
        || (call.has_scope("drive.file") && file.made_by_application);
    reaches && files.may_see(file, &call.user)
}
