//! Orders of a list (Drive API, `files.list`, `orderBy`).

const KEYS: [&str; 11] = [
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

/// Says what is wrong with an order: keys with commas, each with ` desc` after it or not.
///
/// # Errors
/// One sentence that lists the keys.
pub(crate) fn check(order: &str) -> Result<(), String> {
    for item in order.split(',') {
        let mut words = item.split_whitespace();
        let key = words.next().unwrap_or_default();
        if !KEYS.contains(&key) {
            return Err(format!(
                "{key:?} is not a sort key; expected one of: {}",
                KEYS.join(", ")
            ));
        }
        if !matches!((words.next(), words.next()), (None | Some("desc"), None)) {
            return Err(format!("expected nothing or \"desc\" after {key}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_with_and_without_desc() {
        for order in [
            "name",
            "folder,modifiedTime desc,name",
            "folder, name_natural  desc",
        ] {
            assert_eq!(check(order), Ok(()), "{order}");
        }
        for order in [
            "",
            "name,",
            "size",
            "Name",
            "name asc",
            "name desc desc",
            "name;desc",
        ] {
            assert!(check(order).is_err(), "{order}");
        }
        assert!(check("size").unwrap_err().contains("quotaBytesUsed"));
    }
}
