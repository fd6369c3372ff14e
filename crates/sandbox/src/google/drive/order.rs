//! `orderBy` (files.list).

use std::cmp::Ordering;

use crate::google::{
    ApiError,
    world::files::{FOLDER, File},
};

/// A key, and whether it runs backwards.
#[derive(Debug)]
pub(super) struct Key {
    name: &'static str,
    descending: bool,
}

const NAMES: [&str; 11] = [
    "createdTime",
    "folder",
    "modifiedByMeTime",
    "modifiedTime",
    "name",
    "name_natural",
    "quotaBytesUsed",
    "recency",
    "sharedWithMeTime",
    "starred",
    "viewedByMeTime",
];

/// Reads the keys; none for an empty text.
pub(super) fn parse(text: &str) -> Result<Vec<Key>, ApiError> {
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
            let name = NAMES.into_iter().find(|known| *known == name);
            let name = name.ok_or_else(|| ApiError::invalid_value("orderBy"))?;
            Ok(Key { name, descending })
        })
        .collect()
}

/// Sorts by the keys, the first before the others.
pub(super) fn sort(files: &mut [&File], keys: &[Key], me: &str) {
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
            // Nothing has been viewed.
            _ => Ordering::Equal,
        }
    }
}

/// Texts and numbers in turn, so that 2 comes before 12.
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
