//! `about.get`: the user, and how much the user's files take.

use axum::http::Method;
use serde_json::{Map, Value, json};

use super::{files_export::FORMATS, render};
use crate::google::{
    ApiError, ApiMethod, Call, State,
    world::files::{DOCUMENT, File},
};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "drive.about.get",
    verb: Method::GET,
    path: "drive/v3/about",
    parameters: &[],
    scopes: &[
        "https://www.googleapis.com/auth/drive",
        "https://www.googleapis.com/auth/drive.appdata",
        "https://www.googleapis.com/auth/drive.file",
        "https://www.googleapis.com/auth/drive.metadata",
        "https://www.googleapis.com/auth/drive.metadata.readonly",
        "https://www.googleapis.com/auth/drive.photos.readonly",
        "https://www.googleapis.com/auth/drive.readonly",
    ],
    schema: "About",
    run,
};

/// Bytes that a user may keep.
const QUOTA_BYTES: u64 = 15 * 1024 * 1024 * 1024;

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    if call.text("fields").is_none() {
        return Err(ApiError::of(
            400,
            "required",
            "The 'fields' parameter is required for this method.",
        )
        .at_parameter("fields"));
    }
    let mine = |file: &&File| file.owner.as_deref() == Some(call.user.as_str());
    let bytes = |trash_only: bool| {
        let files = state.world.files.all.iter().filter(mine);
        let sizes = files
            .filter(|file| file.trashed || !trash_only)
            .filter_map(File::size);
        sizes.sum::<usize>().to_string()
    };
    let exports: Map<String, Value> = FORMATS
        .iter()
        .map(|(kind, formats)| ((*kind).to_owned(), json!(formats)))
        .collect();
    Ok(json!({
        "kind": "drive#about",
        "user": render::person(&call.user, &call.user),
        "storageQuota": {
            "limit": QUOTA_BYTES.to_string(),
            "usage": bytes(false),
            "usageInDrive": bytes(false),
            "usageInDriveTrash": bytes(true),
        },
        "maxUploadSize": super::MAX_UPLOAD_BYTES.to_string(),
        "maxImportSizes": {DOCUMENT: (10 * 1024 * 1024).to_string()},
        "importFormats": {"text/plain": [DOCUMENT]},
        "exportFormats": exports,
        "appInstalled": false,
        "canCreateDrives": false,
        "folderColorPalette": ["#ac725e", "#d06b64", "#f83a22", "#fa573c"],
    }))
}
