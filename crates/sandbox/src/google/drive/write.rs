//! What creating and changing files share: places, types, contents.

use super::{find, no_permission};
use crate::google::{
    ApiError, Call, Media, State,
    world::files::{DOCUMENT, FOLDER, File, Files, SHEET, SHORTCUT, Spreadsheet},
};

/// Where a file shall be.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) parents: Vec<String>,
    /// The shared drive of the folder.
    pub(super) drive: Option<String>,
}

impl Place {
    /// The folder that a body names; without one the user's My Drive.
    pub(super) fn of(files: &Files, call: &Call, parents: &[String]) -> Result<Self, ApiError> {
        let id = match parents {
            [] => "root",
            [id] => id.as_str(),
            _ => return Err(too_many_parents()),
        };
        // The scope drive.file reaches My Drive itself, though no application made it.
        let folder = match id {
            "root" => files.root(&call.user),
            id => Some(find(files, call, id)?),
        };
        let folder = folder.ok_or_else(|| ApiError::file_not_found(id))?;
        Self::within(files, call, folder)
    }

    /// This folder.
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

    /// Puts a file there. No one owns a file of a shared drive.
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

/// A file is in one folder.
pub(super) fn too_many_parents() -> ApiError {
    ApiError::of(
        403,
        "cannotAddParent",
        "Increasing the number of parents is not allowed",
    )
}

/// The type of a file: what the body says, else that of the bytes.
pub(super) fn mime_type(said: Option<&str>, media: Option<&Media>) -> String {
    let of_media = media.map(|media| media.kind.split(';').next().unwrap_or_default().trim());
    said.or(of_media)
        .unwrap_or("application/octet-stream")
        .to_owned()
}

/// Whether bytes can become a file of a type: of any that is kept as it is, and a text as a document.
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

/// The target of a shortcut, which must be visible.
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
        (false, Some(_)) => Err(super::not_writable(super::NOT_WRITABLE)),
        (false, None) => Ok(()),
    }
}

/// Adds a new file; a spreadsheet gets its first sheet.
pub(super) fn add(state: &mut State, file: File) {
    let files = &mut state.world.files;
    if file.mime_type == SHEET && files.spreadsheet(&file.id).is_none() {
        files.spreadsheets.push(Spreadsheet::new(&file.id));
    }
    files.all.push(file);
}

/// An id that no file has yet.
pub(super) fn fresh_id(state: &mut State) -> String {
    format!("1{}", state.ids.fresh("file", 24))
}
