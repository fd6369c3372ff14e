//! `files.get`: the metadata of one file, or its content.

use axum::http::Method;
use serde_json::Value;

use super::{SCOPES, can_read, find, render};
use crate::google::{ApiError, ApiMethod, Call, Download, Kind, Media, Parameter, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "drive.files.get",
    verb: Method::GET,
    path: "drive/v3/files/{fileId}",
    parameters: &[
        Parameter::one("acknowledgeAbuse", Kind::Flag),
        Parameter::one("includeLabels", Kind::Text),
        Parameter::one("includePermissionsForView", Kind::Text),
        Parameter::one("supportsAllDrives", Kind::Flag),
        Parameter::one("supportsTeamDrives", Kind::Flag),
    ],
    scopes: SCOPES,
    schema: "File",
    run,
};

pub(super) static DOWNLOAD: Download = Download {
    method: &METHOD,
    is_only_use: false,
    takes_ranges: true,
    run: download,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let file = find(&state.world.files, call, call.variable(0))?;
    Ok(render::file(state.world, call, file))
}

/// The content of a file that was uploaded; the product's own documents are exported.
fn download(state: &State, call: &Call) -> Result<Media, ApiError> {
    let file = find(&state.world.files, call, call.variable(0))?;
    if !can_read(call, file) {
        return Err(ApiError::insufficient_scope(
            "drive.googleapis.com",
            METHOD.id,
        ));
    }
    if !file.is_blob() {
        return Err(ApiError::of(
            403,
            "fileNotDownloadable",
            "Only files with binary content can be directly downloaded. Use Export with Docs Editors files.",
        ));
    }
    Ok(Media {
        kind: file.mime_type.clone(),
        bytes: file.bytes(),
    })
}
