//! `files.list`: searches files, sorts them, and returns them in pages.

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::{can_see, query::Query};
use crate::google::{
    ApiError, Call, State, collection,
    world::files::{FOLDER, File},
};

pub(super) fn list(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let corpus = Corpus::of(call)?;
    let query = Query::parse(call.text("q").unwrap_or_default())?;
    let keys = parse(call.text("orderBy").unwrap_or_default())?;
    if !keys.is_empty() && query.uses_full_text() {
        return Err(ApiError::invalid(
            "Sorting is not supported for queries with fullText terms. Results are always in descending relevance order.",
        ));
    }
    let size = collection::size(call, "pageSize", 100, 1000)?;
    let files = &state.world.files;
    let mut found: Vec<&File> = files
        .all
        .iter()
        .filter(|file| !file.is_root && can_see(files, call, file) && corpus.contains(file))
        .filter(|file| query.matches(files, &call.user, file))
        .collect();
    // By default, the newest come first. A full-text search sorts by relevance.
    found.sort_by(|one, other| {
        other
            .modified
            .cmp(&one.modified)
            .then(one.id.cmp(&other.id))
    });
    if query.uses_full_text() {
        found.sort_by_key(|file| std::cmp::Reverse(query.relevance(file)));
    }
    sort(&mut found, &keys, &call.user);

    let page = collection::page(call, found, size, &["pageSize"])
        .map_err(|_| ApiError::invalid_value("pageToken"))?;
    let files: Vec<Value> = page
        .items
        .into_iter()
        .map(|file| super::file(state.world, call, file))
        .collect();
    let mut response = json!({
        "kind": "drive#fileList",
        "incompleteSearch": false,
        "files": files,
    });
    if let Some(next) = page.next {
        response["nextPageToken"] = json!(next);
    }
    Ok(response)
}

/// Which files to search.
enum Corpus {
    /// The user's own and shared files. Also those in shared drives, if the call asks for them.
    User { shared_too: bool },
    /// One shared drive.
    Drive(String),
}

impl Corpus {
    /// Reads the parameters that depend on each other (files.list: `corpora`, `driveId`, `includeItemsFromAllDrives`
    /// and `supportsAllDrives`).
    fn of(call: &Call) -> Result<Self, ApiError> {
        let knows_drives = call.flag("supportsAllDrives") || call.flag("supportsTeamDrives");
        let shared_too =
            call.flag("includeItemsFromAllDrives") || call.flag("includeTeamDriveItems");
        if shared_too && !knows_drives {
            return Err(ApiError::invalid_value("includeItemsFromAllDrives"));
        }
        if let Some(other) = call.text("spaces").filter(|spaces| *spaces != "drive") {
            return Err(match other {
                "appDataFolder" | "drive,appDataFolder" | "appDataFolder,drive" => {
                    ApiError::unimplemented("The sandbox supports only the space drive.")
                }
                _ => ApiError::invalid_value("spaces"),
            });
        }
        let drive = call.text("driveId").or(call.text("teamDriveId"));
        let corpora = call.text("corpora").or(call.text("corpus"));
        match (corpora.unwrap_or("user"), drive) {
            ("drive", Some(id)) if shared_too => Ok(Self::Drive(id.to_owned())),
            ("drive", Some(_)) | ("allDrives", None) if !shared_too => {
                Err(ApiError::invalid_value("includeItemsFromAllDrives"))
            }
            ("user" | "allDrives", None) => Ok(Self::User { shared_too }),
            ("domain", None) => Err(ApiError::unimplemented(
                "The sandbox does not support the corpus domain.",
            )),
            (_, Some(_)) => Err(ApiError::invalid_value("driveId")),
            _ => Err(ApiError::invalid_value("corpora")),
        }
    }

    fn contains(&self, file: &File) -> bool {
        match self {
            Self::User { shared_too } => *shared_too || file.drive.is_none(),
            Self::Drive(id) => file.drive.as_ref() == Some(id),
        }
    }
}

/// A sort key.
#[derive(Debug)]
struct Key {
    name: &'static str,
    descending: bool,
}

const NAMES: &str = "createdTime folder modifiedByMeTime modifiedTime name name_natural quotaBytesUsed recency \
    sharedWithMeTime starred viewedByMeTime";

/// Parses the sort keys. Returns none for an empty text.
fn parse(text: &str) -> Result<Vec<Key>, ApiError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    text.split(',')
        .map(|item| {
            let (name, descending) = match item.trim().rsplit_once(' ') {
                Some((name, "desc")) => (name.trim(), true),
                Some(_) => return Err(ApiError::invalid_value("orderBy")),
                None => (item.trim(), false),
            };
            let name = NAMES.split_whitespace().find(|known| *known == name);
            let name = name.ok_or_else(|| ApiError::invalid_value("orderBy"))?;
            Ok(Key { name, descending })
        })
        .collect()
}

/// Sorts by the keys. The first one matters most.
fn sort(files: &mut [&File], keys: &[Key], me: &str) {
    files.sort_by(|one, other| {
        keys.iter()
            .map(|key| {
                let order = key.compare(one, other, me);
                if key.descending {
                    order.reverse()
                } else {
                    order
                }
            })
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    });
}

impl Key {
    fn compare(&self, one: &File, other: &File, me: &str) -> Ordering {
        let by = |key: fn(&File, &str) -> i64| key(one, me).cmp(&key(other, me));
        match self.name {
            "createdTime" => one.created.cmp(&other.created),
            "modifiedTime" | "recency" => one.modified.cmp(&other.modified),
            "modifiedByMeTime" => by(|file, me| {
                if file.modified_by == me {
                    file.modified.as_second()
                } else {
                    0
                }
            }),
            "sharedWithMeTime" => by(|file, me| {
                if file.owner.as_deref() == Some(me) {
                    0
                } else {
                    file.created.as_second()
                }
            }),
            "name" => one.name.to_lowercase().cmp(&other.name.to_lowercase()),
            "name_natural" => natural_sort_key(&one.name).cmp(&natural_sort_key(&other.name)),
            "quotaBytesUsed" => one.size().unwrap_or(0).cmp(&other.size().unwrap_or(0)),
            // Folders come before files, starred files before others.
            "folder" => by(|file, _| i64::from(file.mime_type != FOLDER)),
            "starred" => {
                by(|file, me| i64::from(!(file.starred && file.owner.as_deref() == Some(me))))
            }
            // No file has been viewed.
            _ => Ordering::Equal,
        }
    }
}

/// Alternates texts and numbers, so that 2 sorts before 12.
fn natural_sort_key(name: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let lower = name.to_lowercase();
    let mut rest = lower.as_str();
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| letter.is_ascii_digit());
        let (text, behind) = rest.split_at(digits.unwrap_or(rest.len()));
        let end = behind.find(|letter: char| !letter.is_ascii_digit());
        let (number, behind) = behind.split_at(end.unwrap_or(behind.len()));
        parts.push((text.to_owned(), number.parse().unwrap_or_default()));
        rest = behind;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sort_by_value_in_natural_order() {
        assert!(natural_sort_key("card 2") < natural_sort_key("Card 12"));
        assert!(natural_sort_key("a") < natural_sort_key("a1"));
    }

    #[test]
    fn keys_are_exact() {
        assert_eq!(
            parse("folder,name desc").map(|keys| keys.len()).ok(),
            Some(2)
        );
        for text in ["size", "name asc", ",", "name desc desc", "Name"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
