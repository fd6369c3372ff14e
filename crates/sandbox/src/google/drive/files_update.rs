//! `files.update`: changes a file's metadata, its place, or its content.

use axum::http::Method;
use serde_json::Value;

use super::{
    find,
    metadata::{self, Metadata},
    no_permission, render,
    write::{self, Place},
};
use crate::google::{
    ApiError, ApiMethod, Call, Kind, Parameter, State, Upload, world::files::File,
};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "drive.files.update",
    verb: Method::PATCH,
    path: "drive/v3/files/{fileId}",
    parameters: &[
        Parameter::one("addParents", Kind::Text),
        Parameter::one("enforceSingleParent", Kind::Flag),
        Parameter::one("includeLabels", Kind::Text),
        Parameter::one("includePermissionsForView", Kind::Text),
        Parameter::one("keepRevisionForever", Kind::Flag),
        Parameter::one("ocrLanguage", Kind::Text),
        Parameter::one("removeParents", Kind::Text),
        Parameter::one("supportsAllDrives", Kind::Flag),
        Parameter::one("supportsTeamDrives", Kind::Flag),
        Parameter::one("useContentAsIndexableText", Kind::Flag),
    ],
    scopes: &[
        "https://www.googleapis.com/auth/drive",
        "https://www.googleapis.com/auth/drive.appdata",
        "https://www.googleapis.com/auth/drive.file",
        "https://www.googleapis.com/auth/drive.metadata",
        "https://www.googleapis.com/auth/drive.scripts",
    ],
    schema: "File",
    run,
};

pub(super) static UPLOAD: Upload = Upload {
    method: &METHOD,
    path: "upload/drive/v3/files/{fileId}",
    max_bytes: super::MAX_UPLOAD_BYTES,
    accepts: "",
    check: |state, call| changed(state, call).map(|_| ()),
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let file = changed(state, call)?;
    let shown = render::file(state.world, call, &file);
    if let Some(kept) = state.world.files.change_file(&file.id) {
        *kept = file;
    }
    Ok(shown)
}

/// The file as it shall be.
fn changed(state: &State, call: &Call) -> Result<File, ApiError> {
    let files = &state.world.files;
    let metadata = Metadata::read(call)?;
    let mut file = write::find_writable(files, call)?.clone();
    if metadata.parents.is_some() {
        return Err(metadata::not_writable(
            "The parents field is not directly writable in update requests. Use the addParents and removeParents parameters instead.",
        ));
    }
    if metadata.id.is_some() || metadata.created.is_some() || metadata.target.is_some() {
        return Err(metadata::not_writable(
            "The resource body includes fields which are not directly writable.",
        ));
    }
    if let Some(place) = moved(state, call, &file)? {
        place.take(&mut file, &call.user);
    }
    if let Some(trashed) = metadata.trashed {
        if file.owner.is_some() && file.owner.as_deref() != Some(&call.user) {
            return Err(no_permission());
        }
        file.trashed = trashed;
    }
    if let Some(starred) = metadata.starred {
        file.starred = starred;
    }
    let changes_content = metadata.name.is_some()
        || metadata.description.is_some()
        || metadata.mime_type.is_some()
        || call.media.is_some();
    if let Some(kind) = metadata.mime_type {
        if !file.is_blob() && kind != file.mime_type {
            return Err(ApiError::invalid(
                "The mimeType of this file cannot be changed.",
            ));
        }
        file.mime_type = kind;
    } else if let Some(media) = call.media.as_ref().filter(|_| file.is_blob()) {
        file.mime_type = write::mime_type(None, Some(media));
    }
    write::check_media(&file.mime_type, call.media.as_ref())?;
    if let Some(name) = metadata.name {
        file.name = name;
    }
    if let Some(description) = metadata.description {
        file.description = Some(description).filter(|text| !text.is_empty());
    }
    if let Some(media) = &call.media {
        file.set_bytes(media.bytes.clone());
    }
    if changes_content {
        file.modified = state.now;
        file.modified_by = call.user.clone();
    }
    file.modified = metadata.modified.unwrap_or(file.modified);
    file.version += 1;
    Ok(file)
}

/// Where the file is after `addParents` and `removeParents`, if they move it.
fn moved(state: &State, call: &Call, file: &File) -> Result<Option<Place>, ApiError> {
    let files = &state.world.files;
    let ids = |name: &str| {
        let list = call.text(name).unwrap_or_default().split(',');
        let ids = list.filter(|id| !id.is_empty()).map(|id| match id {
            "root" => files.root(&call.user).map_or(id, |root| &root.id),
            id => id,
        });
        ids.map(str::to_owned).collect::<Vec<_>>()
    };
    let (added, removed) = (ids("addParents"), ids("removeParents"));
    let [id] = added.as_slice() else {
        return if added.is_empty() {
            Ok(None)
        } else {
            Err(write::too_many_parents())
        };
    };
    if file
        .parents
        .iter()
        .any(|parent| !removed.contains(parent) && parent != id)
    {
        return Err(write::too_many_parents());
    }
    let folder = match files.root(&call.user).filter(|root| root.id == *id) {
        Some(root) => root,
        None => find(files, call, id)?,
    };
    Place::within(files, call, folder).map(Some)
}
