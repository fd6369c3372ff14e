//! `files.get`: the metadata of one file.

use axum::http::Method;
use serde_json::Value;

use super::{SCOPES, can_see, render};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

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

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let files = &state.world.files;
    let id = call.variable(0);
    let found = match id {
        "root" => files.root(&call.user),
        id => files.file(id),
    };
    // A file of a shared drive is not there for an application that does not say that it knows of those
    // (files.get, `supportsAllDrives`).
    let knows_drives = call.flag("supportsAllDrives") || call.flag("supportsTeamDrives");
    let file = found
        .filter(|file| can_see(files, call, file))
        .filter(|file| file.drive.is_none() || knows_drives)
        .ok_or_else(|| ApiError::file_not_found(id))?;
    Ok(render::file(state.world, call, file))
}
