//! `files.create`: a new file or folder, with its content where bytes come along.

use axum::http::Method;
use serde_json::Value;

use super::{
    metadata::Metadata,
    render,
    write::{self, Place},
};
use crate::google::{
    ApiError, ApiMethod, Call, Kind, Parameter, State, Upload, world::files::File,
};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "drive.files.create",
    verb: Method::POST,
    path: "drive/v3/files",
    parameters: &[
        Parameter::one("enforceSingleParent", Kind::Flag),
        Parameter::one("ignoreDefaultVisibility", Kind::Flag),
        Parameter::one("includeLabels", Kind::Text),
        Parameter::one("includePermissionsForView", Kind::Text),
        Parameter::one("keepRevisionForever", Kind::Flag),
        Parameter::one("ocrLanguage", Kind::Text),
        Parameter::one("supportsAllDrives", Kind::Flag),
        Parameter::one("supportsTeamDrives", Kind::Flag),
        Parameter::one("useContentAsIndexableText", Kind::Flag),
    ],
    scopes: super::WRITE_SCOPES,
    schema: "File",
    run,
};

pub(super) static UPLOAD: Upload = Upload {
    method: &METHOD,
    path: "upload/drive/v3/files",
    max_bytes: super::MAX_UPLOAD_BYTES,
    accepts: "",
    check: |state, call| plan(state, call).map(|_| ()),
};

/// What shall be made.
struct Plan {
    metadata: Metadata,
    mime_type: String,
    place: Place,
}

fn plan(state: &State, call: &Call) -> Result<Plan, ApiError> {
    let files = &state.world.files;
    let metadata = Metadata::read(call)?;
    // Only ids of files.generateIds can be used, which the sandbox doesn't play.
    if metadata.id.is_some() {
        return Err(ApiError::of(
            400,
            "invalid",
            "The provided file ID is not usable.",
        ));
    }
    let mime_type = write::mime_type(metadata.mime_type.as_deref(), call.media.as_ref());
    write::check_media(&mime_type, call.media.as_ref())?;
    write::check_target(files, call, &mime_type, metadata.target.as_deref())?;
    let place = Place::of(files, call, metadata.parents.as_deref())?;
    Ok(Plan {
        metadata,
        mime_type,
        place,
    })
}

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let Plan {
        metadata,
        mime_type,
        place,
    } = plan(state, call)?;
    let id = write::fresh_id(state);
    let name = metadata.name.as_deref().unwrap_or("Untitled");
    let mut file = File {
        description: metadata.description,
        starred: metadata.starred.unwrap_or_default(),
        target: metadata.target,
        ..File::new(&id, name, &mime_type, &call.user, state.now)
    };
    file.created = metadata.created.unwrap_or(file.created);
    file.modified = metadata.modified.unwrap_or(file.modified);
    place.take(&mut file, &call.user);
    if let Some(media) = &call.media {
        file.set_bytes(media.bytes.clone());
    }
    let shown = render::file(state.world, call, &file);
    write::add(state, file);
    Ok(shown)
}
