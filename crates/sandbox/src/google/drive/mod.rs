//! Drive API v3: metadata, content and uploads.

mod files;
mod listing;
mod query;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{
    google::{
        Api, ApiError, Call,
        errors::ErrorShape,
        world::{
            World,
            files::{FOLDER, File, Files, SHEET, SHORTCUT},
        },
    },
    users,
};

/// `https://www.googleapis.com/drive/v3`.
pub(crate) static DRIVE_API: Api = Api {
    name: "drive",
    service: "drive.googleapis.com",
    errors: ErrorShape::Mixed,
    refuses_read_only: Some(NOT_WRITABLE),
    plays: &[
        ("files.list", listing::list),
        ("files.get", files::get),
        ("files.create", files::create),
        ("files.update", files::update),
        ("files.delete", files::delete),
    ],
    collections: &[],
    downloads: &[
        ("files.get", files::download),
        ("files.export", files::export),
    ],
    uploads: (5_497_558_138_880, ""),
    batch_paths: &["/batch/drive/v3"],
};

/// The message for members that a request can't write.
const NOT_WRITABLE: &str = "The resource body includes fields which are not directly writable.";

/// 403 for a member that a request can't write.
fn not_writable(message: &str) -> ApiError {
    ApiError::of(403, "fieldNotWritable", message)
}

/// Whether the user may see the file and the token's scopes cover it. The narrow scopes cover files that applications
/// created. The sandbox has no hidden settings, meetings or photos.
fn can_see(files: &Files, call: &Call, file: &File) -> bool {
    let broad = [
        "drive",
        "drive.readonly",
        "drive.metadata",
        "drive.metadata.readonly",
    ];
    let reaches = broad.iter().any(|scope| call.has_scope(scope))
        || (call.has_scope("drive.file") && file.made_by_application);
    reaches && files.may_see(file, &call.user)
}

/// Whether the token's scopes allow reading the file's content.
fn can_read(call: &Call, file: &File) -> bool {
    ["drive", "drive.readonly"]
        .iter()
        .any(|scope| call.has_scope(scope))
        || (call.has_scope("drive.file") && file.made_by_application)
}

/// Finds a file that the caller may see. `root` is the user's own top folder.
///
/// A file in a shared drive is hidden from an application that doesn't say that it supports shared drives (files.get,
/// `supportsAllDrives`).
fn find<'files>(files: &'files Files, call: &Call, id: &str) -> Result<&'files File, ApiError> {
    let found = match id {
        "root" => files.root(&call.user),
        id => files.file(id),
    };
    let knows_drives = call.flag("supportsAllDrives") || call.flag("supportsTeamDrives");
    found
        .filter(|file| can_see(files, call, file))
        .filter(|file| file.drive.is_none() || knows_drives)
        .ok_or_else(|| ApiError::file_not_found(id))
}

/// The same for a file that the user may change.
fn find_changeable<'files>(
    files: &'files Files,
    call: &Call,
    id: &str,
) -> Result<&'files File, ApiError> {
    let file = find(files, call, id)?;
    if files.may_change(file, &call.user) && !file.is_root {
        Ok(file)
    } else {
        Err(no_permission())
    }
}

fn no_permission() -> ApiError {
    ApiError::of(
        403,
        "insufficientFilePermissions",
        "The user does not have sufficient permissions for this file.",
    )
}

/// Whether the token's scopes allow changing the file's content.
fn can_write(call: &Call, file: &File) -> bool {
    call.has_scope("drive") || (call.has_scope("drive.file") && file.made_by_application)
}

/// Shows a `File`. Without a mask, Google returns four fields (files.get, `fields`).
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

/// The user's rights to a file.
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

/// The URL that opens it in a browser.
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

/// A time in RFC 3339 with milliseconds.
fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// The words of a text: runs of letters and digits, in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The search terms of a full-text search: words, and phrases in double quotes.
pub(super) fn phrases(term: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (place, part) in term.split('"').enumerate() {
        if place % 2 == 1 {
            found.push(words(part));
        } else {
            found.extend(words(part).into_iter().map(|word| vec![word]));
        }
    }
    found.retain(|phrase| !phrase.is_empty());
    found
}

/// How often the phrase occurs among the words. Only whole words count.
pub(super) fn count(words: &[String], phrase: &[String]) -> usize {
    words
        .windows(phrase.len().max(1))
        .filter(|window| *window == phrase)
        .count()
}

/// Whether the given words are in sequence. The last one may be the beginning of a word.
pub(super) fn starts_with_words(words: &[String], given: &[String]) -> bool {
    let Some((last, whole)) = given.split_last() else {
        return false;
    };
    words.windows(given.len()).any(|window| {
        window
            .split_last()
            .is_some_and(|(cut, before)| before == whole && cut.starts_with(last.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drive API, "Search query terms and operators", the notes on `contains`.
    #[test]
    fn names_match_by_their_beginning_and_texts_by_whole_words() {
        let name = words("HelloWorld.txt");
        assert!(starts_with_words(&name, &words("Hello")));
        assert!(!starts_with_words(&name, &words("World")));
        assert!(starts_with_words(&name, &words("HelloWorld.t")));
        assert!(!starts_with_words(&name, &words("")));
        assert_eq!(count(&name, &words("hello")), 0);
        assert_eq!(count(&name, &words("helloworld")), 1);
        let text = words("Hello there world");
        assert_eq!(count(&text, &words("hello there")), 1);
        assert_eq!(count(&text, &words("hello world")), 0);
        assert_eq!(
            phrases("a \"b c\" d"),
            [words("a"), words("b c"), words("d")]
        );
    }
}
