//! `files.delete`: takes a file away for good, past the trash; a folder with all that is in it.

use axum::http::Method;
use serde_json::Value;

use super::{find_changeable, no_permission};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "drive.files.delete",
    verb: Method::DELETE,
    path: "drive/v3/files/{fileId}",
    parameters: &[
        Parameter::one("enforceSingleParent", Kind::Flag),
        Parameter::one("supportsAllDrives", Kind::Flag),
        Parameter::one("supportsTeamDrives", Kind::Flag),
    ],
    scopes: super::WRITE_SCOPES,
    schema: "File",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let file = find_changeable(&state.world.files, call, call.variable(0))?;
    // Only the owner may; in a shared drive whoever may change it.
    if file.owner.is_some() && file.owner.as_deref() != Some(&call.user) {
        return Err(no_permission());
    }
    let id = file.id.clone();
    state.world.files.delete(&id);
    Ok(Value::Null)
}
