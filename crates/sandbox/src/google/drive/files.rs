//! Reads, creates, changes and deletes a file. Returns its content unchanged, or in another format.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::{can_read, can_write, find, find_changeable, no_permission, not_writable};
use crate::google::{
    ApiError, Call, Media, Members as _, State,
    world::files::{DOCUMENT, FOLDER, File, Files, SHEET, SHORTCUT, Spreadsheet},
};

/// Export formats (Drive API, "Export MIME types"). The sandbox exports only the texts of documents.
const FORMATS: [(&str, &[&str]); 2] = [
    (
        DOCUMENT,
        &[
            "text/plain",
            "text/markdown",
            "text/html",
            "application/pdf",
            "application/rtf",
            "application/zip",
            "application/epub+zip",
            "application/vnd.oasis.opendocument.text",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ],
    ),
    (
        SHEET,
        &[
            "text/csv",
            "text/tab-separated-values",
            "application/pdf",
            "application/zip",
            "application/x-vnd.oasis.opendocument.spreadsheet",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ],
    ),
];

/// `files.get`: the metadata of one file.
pub(super) fn get(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let file = find(&state.world.files, call, call.variable(0))?;
    Ok(super::file(state.world, call, file))
}

/// `files.get` with `alt=media`: the content of an uploaded file. Google's own documents must be exported instead.
pub(super) fn download(state: &State, call: &Call) -> Result<Media, ApiError> {
    let file = find(&state.world.files, call, call.variable(0))?;
    if !can_read(call, file) {
        return Err(ApiError::insufficient_scope(
            call.api.service,
            call.method.id,
        ));
    }
    if !file.is_blob() {
        let message = "Only files with binary content can be directly downloaded. Use Export with Docs Editors files.";
        return Err(ApiError::of(403, "fileNotDownloadable", message));
    }
    Ok(Media {
        kind: file.mime_type.clone(),
        bytes: file.bytes(),
    })
}

/// `files.export`: a Google document in another format.
pub(super) fn export(state: &State, call: &Call) -> Result<Media, ApiError> {
    let format = call.text("mimeType").ok_or_else(|| {
        ApiError::of(400, "required", "Required parameter: mimeType").at_parameter("mimeType")
    })?;
    let file = find(&state.world.files, call, call.variable(0))?;
    if !can_read(call, file) {
        return Err(ApiError::file_not_found(&file.id));
    }
    if file.is_blob() {
        return Err(ApiError::of(
            403,
            "fileNotExportable",
            "Export only supports Docs Editors files.",
        ));
    }
    let known = FORMATS
        .iter()
        .any(|(kind, formats)| *kind == file.mime_type && formats.contains(&format));
    match format {
        "text/plain" | "text/markdown" if file.mime_type == DOCUMENT => Ok(Media {
            kind: format.to_owned(),
            bytes: file.bytes(),
        }),
        _ if known => Err(ApiError::unimplemented(format!(
            "The sandbox does not export {} as {format}.",
            file.mime_type
        ))),
        _ => Err(ApiError::of(
            400,
            "badRequest",
            "The requested conversion is not supported.",
        )
        .at_parameter("convertTo")),
    }
}

/// `files.create`: a new file or folder, with content if the request has bytes.
pub(super) fn create(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let (body, files) = (&call.body, &state.world.files);
    // Google allows only IDs from files.generateIds, which the sandbox doesn't play.
    if body.text("id").is_some() {
        let message = "The provided file ID is not usable.";
        return Err(ApiError::of(400, "invalid", message));
    }
    let kind = body.text("mimeType").filter(|kind| !kind.is_empty());
    let mime_type = mime_type(kind, call.media.as_ref());
    check_media(&mime_type, call.media.as_ref())?;
    let target = target(body);
    check_target(files, call, &mime_type, target)?;
    let place = Place::of(files, call, &body.texts("parents"))?;
    let times = (moment(body, "createdTime")?, moment(body, "modifiedTime")?);
    let id = fresh_id(state);
    let name = body.text("name").unwrap_or("Untitled");
    let mut file = File {
        description: body.text("description").map(str::to_owned),
        starred: body.flag("starred").unwrap_or_default(),
        target: target.map(str::to_owned),
        ..File::new(&id, name, &mime_type, &call.user, state.now)
    };
    file.created = times.0.unwrap_or(file.created);
    file.modified = times.1.unwrap_or(file.modified);
    place.take(&mut file, &call.user);
    if let Some(media) = &call.media {
        file.set_bytes(media.bytes.clone());
    }
    let shown = super::file(state.world, call, &file);
    add_file(state, file);
    Ok(shown)
}

/// `files.update`: changes a file's metadata, its place, or its content.
pub(super) fn update(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let file = changed(state, call)?;
    let shown = super::file(state.world, call, &file);
    if let Some(kept) = state.world.files.change_file(&file.id) {
        *kept = file;
    }
    Ok(shown)
}

/// `files.delete`: permanently deletes a file, or a folder with everything in it, without moving it to the trash.
pub(super) fn delete(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let file = find_changeable(&state.world.files, call, call.variable(0))?;
    check_owns(call, file)?;
    let id = file.id.clone();
    state.world.files.delete(&id);
    Ok(Value::Null)
}

/// Only the owner may trash or delete a file. In a shared drive, everyone who may change it can do so.
fn check_owns(call: &Call, file: &File) -> Result<(), ApiError> {
    if file.owner.is_some() && file.owner.as_deref() != Some(&call.user) {
        return Err(no_permission());
    }
    Ok(())
}

/// The file after the changes of the request.
fn changed(state: &State, call: &Call) -> Result<File, ApiError> {
    let (body, files) = (&call.body, &state.world.files);
    let mut file = find_changeable(files, call, call.variable(0))?.clone();
    if call.media.is_some() && !can_write(call, &file) {
        return Err(ApiError::insufficient_scope(
            call.api.service,
            call.method.id,
        ));
    }
    if body.contains_key("parents") {
        return Err(not_writable(
            "The parents field is not directly writable in update requests. Use the addParents and removeParents parameters instead.",
        ));
    }
    if ["id", "createdTime", "shortcutDetails"]
        .iter()
        .any(|name| body.contains_key(*name))
    {
        return Err(not_writable(super::NOT_WRITABLE));
    }
    let modified = moment(body, "modifiedTime")?;
    if let Some(place) = moved(state, call, &file)? {
        place.take(&mut file, &call.user);
    }
    if let Some(trashed) = body.flag("trashed") {
        check_owns(call, &file)?;
        file.trashed = trashed;
    }
    file.starred = body.flag("starred").unwrap_or(file.starred);
    if let Some(kind) = body.text("mimeType").filter(|kind| !kind.is_empty()) {
        if !file.is_blob() && kind != file.mime_type {
            return Err(ApiError::invalid(
                "The mimeType of this file cannot be changed.",
            ));
        }
        kind.clone_into(&mut file.mime_type);
    } else if let Some(media) = call.media.as_ref().filter(|_| file.is_blob()) {
        file.mime_type = mime_type(None, Some(media));
    }
    check_media(&file.mime_type, call.media.as_ref())?;
    if let Some(name) = body.text("name") {
        name.clone_into(&mut file.name);
    }
    if let Some(description) = body.text("description") {
        file.description = Some(description.to_owned()).filter(|text| !text.is_empty());
    }
    if let Some(media) = &call.media {
        file.set_bytes(media.bytes.clone());
    }
    let of_content = ["name", "description", "mimeType"];
    if call.media.is_some() || of_content.iter().any(|name| body.text(name).is_some()) {
        file.modified = state.now;
        file.modified_by.clone_from(&call.user);
    }
    file.modified = modified.unwrap_or(file.modified);
    file.version += 1;
    Ok(file)
}

/// The new place of the file if `addParents` and `removeParents` move it.
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
            Err(too_many_parents())
        };
    };
    if file
        .parents
        .iter()
        .any(|parent| !removed.contains(parent) && parent != id)
    {
        return Err(too_many_parents());
    }
    let folder = match files.root(&call.user).filter(|root| root.id == *id) {
        Some(root) => root,
        None => find(files, call, id)?,
    };
    Place::within(files, call, folder).map(Some)
}

fn target(body: &Map<String, Value>) -> Option<&str> {
    body.object("shortcutDetails")?.text("targetId")
}

fn moment(body: &Map<String, Value>, name: &str) -> Result<Option<Timestamp>, ApiError> {
    let read = |text: &str| text.parse().map_err(|_| ApiError::invalid_value(name));
    body.text(name).map(read).transpose()
}

/// The place of a file.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) parents: Vec<String>,
    /// The shared drive of the folder.
    pub(super) drive: Option<String>,
}

impl Place {
    /// The folder that a body names. Without one, the user's My Drive.
    pub(super) fn of(files: &Files, call: &Call, parents: &[String]) -> Result<Self, ApiError> {
        let id = match parents {
            [] => "root",
            [id] => id.as_str(),
            _ => return Err(too_many_parents()),
        };
        // The scope drive.file covers My Drive itself, although no application created it.
        let folder = match id {
            "root" => files.root(&call.user),
            id => Some(find(files, call, id)?),
        };
        let folder = folder.ok_or_else(|| ApiError::file_not_found(id))?;
        Self::within(files, call, folder)
    }

    /// The place within a folder, which the user must be able to change.
    pub(super) fn within(files: &Files, call: &Call, folder: &File) -> Result<Self, ApiError> {
        if folder.mime_type != FOLDER {
            return Err(ApiError::of(
                403,
                "parentNotAFolder",
                "The specified parent is not a folder.",
            ));
        }
        if !files.may_change(folder, &call.user) {
            return Err(no_permission());
        }
        Ok(Self {
            parents: vec![folder.id.clone()],
            drive: folder.drive.clone(),
        })
    }

    /// Moves a file to this place. No one owns a file in a shared drive.
    pub(super) fn take(self, file: &mut File, user: &str) {
        match (&self.drive, &file.drive) {
            (Some(_), _) => file.owner = None,
            (None, Some(_)) => file.owner = Some(user.to_owned()),
            (None, None) => {}
        }
        file.drive = self.drive;
        file.parents = self.parents;
    }
}

/// The error for a file that would be in more than one folder.
pub(super) fn too_many_parents() -> ApiError {
    ApiError::of(
        403,
        "cannotAddParent",
        "Increasing the number of parents is not allowed",
    )
}

/// The type of a file: the type in the body, or else the type of the bytes.
pub(super) fn mime_type(said: Option<&str>, media: Option<&Media>) -> String {
    let of_media = media.map(|media| media.kind.split(';').next().unwrap_or_default().trim());
    said.or(of_media)
        .unwrap_or("application/octet-stream")
        .to_owned()
}

/// Checks that bytes can become a file of this type. Plain text can become a document. Other types aren't converted.
pub(super) fn check_media(mime_type: &str, media: Option<&Media>) -> Result<(), ApiError> {
    let Some(media) = media else {
        return Ok(());
    };
    match mime_type {
        FOLDER | SHORTCUT => Err(ApiError::invalid(format!(
            "A file of the type {mime_type} has no content."
        ))),
        DOCUMENT if media.kind.starts_with("text/plain") => Ok(()),
        kind if kind.starts_with("application/vnd.google-apps.") => Err(ApiError::unimplemented(
            format!("The sandbox does not convert {} to {kind}.", media.kind),
        )),
        _ => Ok(()),
    }
}

/// Checks the target of a shortcut, which the user must be able to see.
pub(super) fn check_target(
    files: &Files,
    call: &Call,
    mime_type: &str,
    target: Option<&str>,
) -> Result<(), ApiError> {
    match (mime_type == SHORTCUT, target) {
        (true, Some(id)) => find(files, call, id).map(|_| ()),
        (true, None) => Err(ApiError::of(
            400,
            "shortcutTargetInvalid",
            "The shortcut target is missing.",
        )),
        (false, Some(_)) => Err(not_writable(super::NOT_WRITABLE)),
        (false, None) => Ok(()),
    }
}

/// Adds a new file. A spreadsheet gets its first sheet.
pub(super) fn add_file(state: &mut State, file: File) {
    let files = &mut state.world.files;
    if file.mime_type == SHEET && files.spreadsheet(&file.id).is_none() {
        files.spreadsheets.push(Spreadsheet::new(&file.id));
    }
    files.all.push(file);
}

/// An ID that no file has yet.
pub(super) fn fresh_id(state: &mut State) -> String {
    format!("1{}", state.ids.fresh("file", 24))
}
