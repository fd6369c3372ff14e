//! Sort orders of a list (Drive API, `files.list`, `orderBy`).

use stead_core::similar::spelling;

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

/// The order in the product's form: keys separated by commas, each optionally followed by ` desc`. The case of keys is
/// ignored.
///
/// # Errors
/// Returns a sentence that lists the keys.
pub(crate) fn read(order: &str) -> Result<String, String> {
    let items: Result<Vec<String>, String> = order.split(',').map(item).collect();
    Ok(items?.join(","))
}

fn item(item: &str) -> Result<String, String> {
    let mut words = item.split_whitespace();
    let asked = words.next().unwrap_or_default();
    let mut keys = KEYS.iter();
    let Some(key) = keys.find(|key| spelling(key) == spelling(asked)) else {
        let keys = KEYS.join(", ");
        return Err(format!(
            "{asked:?} isn't a sort key; expected one of: {keys}"
        ));
    };
    let direction = words.next().map(str::to_ascii_lowercase);
    match (direction.as_deref(), words.next()) {
        (None | Some("asc" | "ascending"), None) => Ok((*key).to_owned()),
        (Some("desc" | "descending"), None) => Ok(format!("{key} desc")),
        _ => Err(format!("expected \"asc\", \"desc\" or nothing after {key}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_taken_in_any_case_and_with_a_direction() {
        for (order, sent) in [
            ("name", "name"),
            (
                "folder,modifiedTime desc,name",
                "folder,modifiedTime desc,name",
            ),
            ("folder, name_natural  desc", "folder,name_natural desc"),
            ("Name", "name"),
            ("modifiedTime asc", "modifiedTime"),
            (
                "MODIFIED_TIME DESC, nameNatural ASC",
                "modifiedTime desc,name_natural",
            ),
            ("viewedByMeTime descending", "viewedByMeTime desc"),
        ] {
            assert_eq!(read(order).as_deref(), Ok(sent), "{order}");
        }
        for order in [
            "",
            "name,",
            "size",
            "name up",
            "name desc desc",
            "name;desc",
        ] {
            assert!(read(order).is_err(), "{order}");
        }
        assert!(read("size").unwrap_err().contains("quotaBytesUsed"));
    }
}
