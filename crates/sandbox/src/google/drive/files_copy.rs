//! `files.copy`: a new file with the content of another.

use axum::http::Method;
use serde_json::Value;

use super::{
    can_read, find,
    metadata::Metadata,
    render,
    write::{self, Place},
};
use crate::google::{
    ApiError, ApiMethod, Call, Kind, Parameter, State,
    world::files::{FOLDER, File, Spreadsheet},
};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "drive.files.copy",
    verb: Method::POST,
    path: "drive/v3/files/{fileId}/copy",
    parameters: &[
        Parameter::one("copyComments", Kind::Flag),
        Parameter::one("enforceSingleParent", Kind::Flag),
        Parameter::one("ignoreDefaultVisibility", Kind::Flag),
        Parameter::one("includeLabels", Kind::Text),
        Parameter::one("includePermissionsForView", Kind::Text),
        Parameter::one("keepRevisionForever", Kind::Flag),
        Parameter::one("ocrLanguage", Kind::Text),
        Parameter::one("supportsAllDrives", Kind::Flag),
        Parameter::one("supportsTeamDrives", Kind::Flag),
    ],
    scopes: &[
        "https://www.googleapis.com/auth/drive",
        "https://www.googleapis.com/auth/drive.appdata",
        "https://www.googleapis.com/auth/drive.file",
        "https://www.googleapis.com/auth/drive.photos.readonly",
    ],
    schema: "File",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let metadata = Metadata::read(call)?;
    let files = &state.world.files;
    let source = find(files, call, call.variable(0))?;
    if source.mime_type == FOLDER || !can_read(call, source) {
        return Err(ApiError::of(
            403,
            "cannotCopyFile",
            "This file cannot be copied by the user.",
        ));
    }
    if metadata
        .mime_type
        .as_ref()
        .is_some_and(|kind| *kind != source.mime_type)
    {
        return Err(ApiError::unimplemented(
            "The sandbox does not convert files.",
        ));
    }
    if metadata.id.is_some() || metadata.target.is_some() {
        return Err(ApiError::unimplemented(
            "The sandbox chooses the id and the target of a copy.",
        ));
    }
    // The copy is where the original is, if the user may put files there.
    let folder_of_source = source.parents.first().and_then(|id| files.file(id));
    let place = match (&metadata.parents, folder_of_source) {
        (None, Some(folder)) if files.may_change(folder, &call.user) => {
            Place::within(files, call, folder)?
        }
        (parents, _) => Place::of(files, call, parents.as_deref())?,
    };
    let copied = format!("Copy of {}", source.name);
    let source = source.clone();
    let spreadsheet = files.spreadsheet(&source.id).cloned();
    let id = write::fresh_id(state);
    let name = metadata.name.unwrap_or(copied);
    let new = File::new(&id, &name, &source.mime_type, &call.user, state.now);
    let mut copy = File {
        description: metadata.description.or(source.description),
        starred: metadata.starred.unwrap_or_default(),
        modified: metadata.modified.unwrap_or(new.modified),
        created: metadata.created.unwrap_or(new.created),
        target: source.target,
        text: source.text,
        content: source.content,
        ..new
    };
    place.take(&mut copy, &call.user);
    if let Some(spreadsheet) = spreadsheet {
        let spreadsheet = Spreadsheet { id, ..spreadsheet };
        state.world.files.spreadsheets.push(spreadsheet);
    }
    let shown = render::file(state.world, call, &copy);
    write::add(state, copy);
    Ok(shown)
}
