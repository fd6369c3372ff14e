//! Drive API v3: metadata, contents, uploads.

mod files;
mod listing;
mod query;
mod render;

use crate::google::{
    Api, ApiError, Call,
    errors::ErrorShape,
    world::files::{File, Files},
};

/// `https://www.googleapis.com/drive/v3`.
pub(crate) static DRIVE_API: Api = Api {
    name: "drive",
    service: "drive.googleapis.com",
    errors: ErrorShape::Mixed,
    refuses_read_only: Some(NOT_WRITABLE),
    plays: &[
        ("files.list", listing::list),
        ("files.get", files::get),
        ("files.create", files::create),
        ("files.update", files::update),
        ("files.delete", files::delete),
    ],
    collections: &[],
    downloads: &[
        ("files.get", files::download),
        ("files.export", files::export),
    ],
    uploads: (5_497_558_138_880, ""),
    batch_paths: &["/batch/drive/v3"],
};

/// What is said of members that a request may not write.
const NOT_WRITABLE: &str = "The resource body includes fields which are not directly writable.";

/// 403 for a member that a request may not write.
fn not_writable(message: &str) -> ApiError {
    ApiError::of(403, "fieldNotWritable", message)
}

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
