//! Field masks (Drive API, "Return specific fields"). Commas separate fields, `a/b` is a nested field, `a(b,c)` several of
//! them.

use stead_core::{Error, Result, error::Violation};

/// Default fields of a file. The product's own default is only id, name and type.
pub(crate) const FILE: &str = "id,name,mimeType,size,createdTime,modifiedTime,description,parents,\
    owners(displayName,emailAddress),lastModifyingUser(displayName,emailAddress),webViewLink,webContentLink,iconLink,\
    md5Checksum,fileExtension,starred,trashed,shared,ownedByMe,driveId,shortcutDetails,\
    capabilities(canEdit,canDownload,canShare)";

/// Default fields of each file in a list.
pub(crate) const LISTED: &str = "nextPageToken,incompleteSearch,files(id,name,mimeType,size,createdTime,modifiedTime,\
    parents,owners(displayName,emailAddress),webViewLink,starred,trashed,shared,driveId,shortcutDetails)";

/// Fields of the list itself. Without them, a caller can't see that there are more pages.
const OF_LIST: [&str; 2] = ["nextPageToken", "incompleteSearch"];

/// The caller's mask for a file.
///
/// # Errors
/// Returns a violation at `/fields` if the parentheses don't match.
pub(crate) fn of_file(fields: &Option<String>) -> Result<String> {
    match fields {
        Some(fields) => Ok(read(fields)?.join(",")),
        None => Ok(FILE.to_owned()),
    }
}

/// The caller's mask for a list. If it names fields of files, it's wrapped in `files(…)`. The fields for paging are always
/// included.
///
/// # Errors
/// Returns a violation at `/fields` if the parentheses don't match.
pub(crate) fn of_list(fields: &Option<String>) -> Result<String> {
    let Some(fields) = fields else {
        return Ok(LISTED.to_owned());
    };
    let mut items = read(fields)?;
    if items.iter().any(|item| item == "*") {
        return Ok(items.join(","));
    }
    let speaks_of_files = items.iter().any(|item| name(item) == "files");
    items.retain(|item| !OF_LIST.contains(&item.as_str()));
    let mut mask: Vec<String> = OF_LIST.map(str::to_owned).into();
    if speaks_of_files {
        mask.append(&mut items);
    } else if !items.is_empty() {
        mask.push(format!("files({})", items.join(",")));
    }
    Ok(mask.join(","))
}

/// The top-level items of a mask, without spaces.
fn read(fields: &str) -> Result<Vec<String>> {
    let mut items = vec![String::new()];
    let mut depth = 0_usize;
    for character in fields
        .chars()
        .filter(|character| !character.is_whitespace())
    {
        match character {
            '(' => depth += 1,
            ')' => {
                depth = depth
                    .checked_sub(1)
                    .ok_or_else(|| invalid("a closing parenthesis has no opening one"))?
            }
            ',' if depth == 0 => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(item) = items.last_mut() {
            item.push(character);
        }
    }
    if depth > 0 {
        return Err(invalid("a parenthesis isn't closed"));
    }
    if items.iter().any(String::is_empty) {
        return Err(invalid(
            "a field is missing next to a comma, or the mask is empty",
        ));
    }
    Ok(items)
}

/// The field name at the beginning of an item.
fn name(item: &str) -> &str {
    item.split(['/', '(', '.']).next().unwrap_or_default()
}

fn invalid(message: &str) -> Error {
    Error::violations(vec![Violation::new("/fields", "format", message)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(fields: &str) -> String {
        of_list(&Some(fields.to_owned())).unwrap()
    }

    #[test]
    fn fields_of_a_file_are_put_around_the_files() {
        const BOTH: &str = "nextPageToken,incompleteSearch";
        for (given, mask) in [
            ("id,name", "files(id,name)"),
            (
                "id, owners(emailAddress, me)",
                "files(id,owners(emailAddress,me))",
            ),
            ("kind", "files(kind)"),
            ("files(id, name)", "files(id,name)"),
            ("nextPageToken, files(id, name)", "files(id,name)"),
            ("kind,files/id,files/name", "kind,files/id,files/name"),
            ("files", "files"),
            ("nextPageToken,id", "files(id)"),
        ] {
            assert_eq!(list(given), format!("{BOTH},{mask}"), "{given}");
        }
        assert_eq!(list("nextPageToken"), BOTH);
        assert_eq!(list("*"), "*");
    }

    #[test]
    fn built_in_masks_are_valid_for_callers() {
        assert_eq!(list(LISTED), LISTED);
        assert_eq!(of_file(&Some(FILE.to_owned())).unwrap(), FILE);
        assert!(!FILE.contains(' ') && !LISTED.contains(' '));
    }

    #[test]
    fn invalid_masks_are_refused() {
        for fields in ["", " ", "id,", ",id", "files(id", "id)", "files(id))", ")("] {
            let fields = Some(fields.to_owned());
            for error in [of_list(&fields).unwrap_err(), of_file(&fields).unwrap_err()] {
                assert_eq!(error.violation_list()[0].path, "/fields", "{fields:?}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn a_list_can_always_be_paged(fields in "[a-z(),/* ]{0,30}") {
            if let Ok(mask) = of_list(&Some(fields)) {
                proptest::prop_assert!(mask.starts_with("nextPageToken,incompleteSearch") || mask.contains('*'), "{}", mask);
            }
        }
    }
}
