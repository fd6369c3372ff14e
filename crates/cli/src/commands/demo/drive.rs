use serde_json::{Value, json};

use super::case::{Case, World, list, same, same_texts};

/// Every drive tool.
pub(super) const CASES: &[Case] = &[
    Case {
        tool: "drive_get_file_metadata",
        input: |world| json!({ "file_id": uploaded(world)["id"] }),
        check: |world, data| {
            let file = uploaded(world);
            same("name", &file["name"], &data["name"])?;
            same("type", &file["mime_type"], &data["mimeType"])?;
            same("owner", &file["owner"], &data["owners"][0]["emailAddress"])?;
            let size = file["size"].as_u64().unwrap_or_default().to_string();
            same("size", &json!(size), &data["size"])?;
            Ok(format!("{}, {size} bytes", data["name"]))
        },
    },
    Case {
        tool: "drive_search_content",
        input: |world| json!({ "search_term": longest_word(uploaded(world)) }),
        check: |world, data| {
            let wanted = uploaded(world);
            let found = list(data, "files");
            if !found.iter().any(|file| file["id"] == wanted["id"]) {
                return Err(format!("{} is not in {data}", wanted["name"]));
            }
            let known = |file: &Value| listed(world).any(|known| known["id"] == file["id"]);
            match found.iter().find(|file| !known(file)) {
                Some(stranger) => Err(format!("{} should not have come", stranger["name"])),
                None => Ok(format!(
                    "\"{}\" is in {}",
                    longest_word(wanted),
                    wanted["name"]
                )),
            }
        },
    },
    Case {
        tool: "drive_search_files",
        input: |_| json!({ "supports_all_drives": true, "page_size": 1000 }),
        check: |world, data| {
            let expected = listed(world).map(|file| &file["id"]);
            let seen = list(data, "files").iter().map(|file| &file["id"]);
            let count = same_texts("files", expected, seen)?;
            Ok(format!("{count} files, none from the trash"))
        },
    },
];

/// Files that a search shows: no trash, and not the tops of the drives.
fn listed(world: &World) -> impl Iterator<Item = &Value> {
    let files = world.list("files").iter();
    files.filter(|file| file["trashed"] == false && file["is_root"] == false)
}

/// The largest file of the user's own that was uploaded.
fn uploaded(world: &World) -> &Value {
    let own = listed(world).filter(|file| file["drive_id"].is_null() && file["size"].is_u64());
    own.max_by_key(|file| file["size"].as_u64())
        .unwrap_or(&Value::Null)
}

/// The longest word of a file's text.
fn longest_word(file: &Value) -> &str {
    let words = file["text"].as_str().unwrap_or_default();
    let words = words.split(|letter: char| !letter.is_alphanumeric());
    words.max_by_key(|word| word.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_drive_tool_is_shown() {
        let product = stead::core::catalogue::Catalogue::new([&stead::drive::PRODUCT]);
        for tool in product.newest() {
            let name = tool.entry().name();
            assert!(CASES.iter().any(|case| case.tool == name), "{name}");
        }
    }
}
