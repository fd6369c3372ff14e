//! files.get

use axum::http::Method;
use serde_json::Value;

use super::{SCOPES, render, sees, shapes};
use crate::google::errors::Refusal;
use crate::google::method::{ApiMethod, Call, Kind, Parameter};
use crate::state::State;

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
    shape: &shapes::FILE,
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, Refusal> {
    let library = &state.world.library;
    let id = call.variable(0);
    let found = match id {
        "root" => library.root(&call.user),
        id => library.file(id),
    };
    // A file of a shared drive is not there for an application that does not
    // say that it knows of those (files.get, `supportsAllDrives`).
    let knows_drives = call.flag("supportsAllDrives") || call.flag("supportsTeamDrives");
    let file = found
        .filter(|file| sees(library, call, file))
        .filter(|file| file.drive.is_none() || knows_drives)
        .ok_or_else(|| Refusal::file_not_found(id))?;
    Ok(render::file(&state.world, call, file))
}
