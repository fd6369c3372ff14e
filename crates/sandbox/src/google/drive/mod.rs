//! Drive API v3: metadata, contents, uploads. A folder is an API, a file is a method.

mod files_create;
mod files_delete;
mod files_export;
mod files_get;
mod files_list;
mod files_update;
mod index;
mod metadata;
mod order;
mod query;
mod render;
mod tokens;
mod write;

use crate::google::{
    Api, ApiError, Call,
    errors::ErrorShape,
    world::files::{File, Files},
};

/// `https://www.googleapis.com/drive/v3`.
pub(crate) static DRIVE_API: Api = Api {
    service: "drive.googleapis.com",
    errors: ErrorShape::Mixed,
    methods: &[
        &files_list::METHOD,
        &files_create::METHOD,
        &files_get::METHOD,
        &files_update::METHOD,
        &files_delete::METHOD,
        &files_export::METHOD,
    ],
    downloads: &[&files_get::DOWNLOAD, &files_export::DOWNLOAD],
    uploads: &[&files_create::UPLOAD, &files_update::UPLOAD],
    batch_paths: &["/batch/drive/v3"],
};

/// Bytes of an upload at most (discovery, `maxSize`).
const MAX_UPLOAD_BYTES: u64 = 5_497_558_138_880;

/// Scopes of the methods that create and delete files (discovery, `scopes`).
const WRITE_SCOPES: &[&str] = &[
    "https://www.googleapis.com/auth/drive",
    "https://www.googleapis.com/auth/drive.appdata",
    "https://www.googleapis.com/auth/drive.file",
];

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

/// Whether the token's scopes reach the file's content.
fn can_read(call: &Call, file: &File) -> bool {
    ["drive", "drive.readonly"]
        .iter()
        .any(|scope| call.has_scope(scope))
        || (call.has_scope("drive.file") && file.made_by_application)
}

/// The file of this id that the caller may see; `root` is the user's own top folder.
///
/// A file of a shared drive is not there for an application that does not say that it knows of those (files.get,
/// `supportsAllDrives`).
fn find<'files>(files: &'files Files, call: &Call, id: &str) -> Result<&'files File, ApiError> {
    let found = match id {
        "root" => files.root(&call.user),
        id => files.file(id),
    };
    let knows_drives = call.flag("supportsAllDrives") || call.flag("supportsTeamDrives");
    found
        .filter(|file| can_see(files, call, file))
        .filter(|file| file.drive.is_none() || knows_drives)
        .ok_or_else(|| ApiError::file_not_found(id))
}

/// The same, if the user may change it.
fn find_changeable<'files>(
    files: &'files Files,
    call: &Call,
    id: &str,
) -> Result<&'files File, ApiError> {
    let file = find(files, call, id)?;
    if files.may_change(file, &call.user) && !file.is_root {
        Ok(file)
    } else {
        Err(no_permission())
    }
}

fn no_permission() -> ApiError {
    ApiError::of(
        403,
        "insufficientFilePermissions",
        "The user does not have sufficient permissions for this file.",
    )
}

/// Whether the token's scopes reach the file's content to change it.
fn can_write(call: &Call, file: &File) -> bool {
    call.has_scope("drive") || (call.has_scope("drive.file") && file.made_by_application)
}
