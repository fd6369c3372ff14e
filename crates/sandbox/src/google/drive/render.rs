//! A file as Drive shows it.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{
    google::{
        Call,
        world::{
            World,
            files::{FOLDER, File, SHEET, SHORTCUT},
        },
    },
    users,
};

/// A `File`. Without a mask the product gives four fields (files.get, `fields`).
pub(super) fn file(world: &World, call: &Call, file: &File) -> Value {
    let mut shown = json!({
        "kind": "drive#file",
        "id": file.id,
        "name": file.name,
        "mimeType": file.mime_type,
    });
    if call.text("fields").is_none() {
        return shown;
    }
    let me = call.user.as_str();
    let owned = file.owner.as_deref() == Some(me);
    shown["starred"] = json!(file.starred && owned);
    shown["trashed"] = json!(file.trashed);
    shown["explicitlyTrashed"] = json!(file.trashed);
    shown["spaces"] = json!(["drive"]);
    shown["version"] = json!(file.version.to_string());
    shown["createdTime"] = json!(moment(file.created));
    shown["modifiedTime"] = json!(moment(file.modified));
    shown["modifiedByMe"] = json!(file.modified_by == me);
    shown["viewedByMe"] = json!(false);
    shown["ownedByMe"] = json!(owned);
    shown["shared"] =
        json!(file.drive.is_some() || !file.writers.is_empty() || !file.readers.is_empty());
    shown["lastModifyingUser"] = person(&file.modified_by, me);
    shown["capabilities"] = capabilities(world, file, me);
    shown["quotaBytesUsed"] = json!(file.size().unwrap_or_default().to_string());
    shown["iconLink"] = json!(format!(
        "https://drive-thirdparty.googleusercontent.com/16/type/{}",
        file.mime_type
    ));
    shown["webViewLink"] = json!(link(file));
    if !file.parents.is_empty() {
        shown["parents"] = json!(file.parents);
    }
    if file.modified_by == me {
        shown["modifiedByMeTime"] = json!(moment(file.modified));
    }
    match (&file.owner, &file.drive) {
        (_, Some(drive)) => {
            shown["driveId"] = json!(drive);
            shown["teamDriveId"] = json!(drive);
        }
        (Some(owner), None) => {
            shown["owners"] = json!([person(owner, me)]);
            if !owned {
                shown["sharedWithMeTime"] = json!(moment(file.created));
                shown["sharingUser"] = person(owner, me);
            }
        }
        (None, None) => {}
    }
    if let Some(description) = &file.description {
        shown["description"] = json!(description);
    }
    if let Some(target) = file.target.as_deref().and_then(|id| world.files.file(id)) {
        shown["shortcutDetails"] = json!({
            "targetId": target.id,
            "targetMimeType": target.mime_type,
        });
    }
    if let Some(size) = file.size() {
        shown["size"] = json!(size.to_string());
        shown["sha256Checksum"] = json!(file.sha256());
        shown["originalFilename"] = json!(file.name);
        shown["webContentLink"] = json!(format!(
            "https://drive.google.com/uc?id={}&export=download",
            file.id
        ));
        if let Some(extension) = file.extension() {
            shown["fileExtension"] = json!(extension);
            shown["fullFileExtension"] = json!(extension);
        }
    }
    shown
}

/// What the user may do.
fn capabilities(world: &World, file: &File, me: &str) -> Value {
    let changes = world.files.may_change(file, me);
    json!({
        "canEdit": changes,
        "canRename": changes,
        "canComment": changes,
        "canShare": changes,
        "canCopy": file.mime_type != FOLDER,
        "canDownload": file.mime_type != FOLDER,
        "canAddChildren": changes && file.mime_type == FOLDER,
        "canTrash": file.owner.as_deref() == Some(me) || (file.drive.is_some() && changes),
    })
}

fn person(email: &str, me: &str) -> Value {
    let mut shown = json!({
        "kind": "drive#user",
        "emailAddress": email,
        "me": email == me,
    });
    if let Some(user) = users::find(email) {
        shown["displayName"] = json!(user.name);
        shown["photoLink"] = json!(user.picture);
        shown["permissionId"] = json!(user.subject);
    }
    shown
}

/// Where a browser opens it.
fn link(file: &File) -> String {
    let id = &file.id;
    match file.mime_type.as_str() {
        FOLDER => format!("https://drive.google.com/drive/folders/{id}"),
        SHEET => format!("https://docs.google.com/spreadsheets/d/{id}/edit?usp=drivesdk"),
        SHORTCUT => format!("https://drive.google.com/open?id={id}&usp=drivesdk"),
        _ if !file.is_blob() => {
            format!("https://docs.google.com/document/d/{id}/edit?usp=drivesdk")
        }
        _ => format!("https://drive.google.com/file/d/{id}/view?usp=drivesdk"),
    }
}

/// RFC 3339 with milliseconds.
fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}
