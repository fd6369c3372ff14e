//! Warns about incomplete values. A page contains at most 25 references of a property (Notion API, "Retrieve a page
//! property item"), and only some of these values tell that there are more.

use serde_json::Value;
use stead_core::tool::{Output, items_of};

/// Most references of a property in a page.
const MOST: usize = 25;
/// Most values that the warning names.
const NAMED: usize = 10;

/// The names of a page's properties that may have more values.
pub(crate) fn names(page: &Value) -> Vec<String> {
    cut(page).map(|(name, _)| name.clone()).collect()
}

/// Adds a warning that names incomplete values, and tells how to read them completely.
pub(crate) fn warned(output: Output, pages: &[Value]) -> Output {
    let of_page = |page| cut(page).map(move |(name, property)| place(page, name, property));
    let places: Vec<String> = pages.iter().flat_map(of_page).collect();
    if places.is_empty() {
        return output;
    }
    let more = match places.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let named = &places[..places.len().min(NAMED)];
    let message = format!(
        "the product returns at most {MOST} references of a property, so these may have more; to read all, use a raw request: {}{more}",
        named.join(", ")
    );
    output.warn("values_cut", message)
}

/// The request for a property, such as `"Refs": GET /v1/pages/…/properties/…`. Property ids are already encoded for a path.
fn place(page: &Value, name: &str, property: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (page, id) = (text(&page["id"]), text(&property["id"]));
    format!("{name:?}: GET /v1/pages/{page}/properties/{id}")
}

fn cut(page: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let properties = page["properties"].as_object().into_iter().flatten();
    properties.filter(|(_, property)| is_cut(property))
}

/// Whether a property may have more values. If it says that it has no more, that's right.
fn is_cut(property: &Value) -> bool {
    if let Some(has_more) = property["has_more"].as_bool() {
        return has_more;
    }
    let kind = property["type"].as_str().unwrap_or_default();
    let value = &property[kind];
    match kind {
        "relation" | "people" => items_of(value).len() >= MOST,
        "title" | "rich_text" => {
            let mentions = items_of(value)
                .iter()
                .filter(|run| run["type"] == "mention");
            mentions.count() >= MOST
        }
        "rollup" => {
            let items = items_of(&value["array"]);
            value["type"] == "incomplete" || items.len() >= MOST || items.iter().any(is_cut)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn incomplete_properties_are_named() {
        let (id, mention) = (json!({"id": "p"}), json!({"type": "mention"}));
        let of = |kind: &str, item: &Value, times| json!({"type": kind, kind: vec![item; times]});
        let has_more = |mut property: Value, has_more: bool| {
            property["has_more"] = json!(has_more);
            property
        };
        let rollup = |value: Value| json!({"type": "rollup", "rollup": value});
        for (is_cut, property) in [
            (true, has_more(of("relation", &id, 1), true)),
            (false, has_more(of("relation", &id, 25), false)),
            (true, of("relation", &id, 25)),
            (false, of("people", &id, 24)),
            (true, of("people", &id, 25)),
            (true, of("title", &mention, 25)),
            (true, of("rich_text", &mention, 25)),
            (false, of("rich_text", &json!({"type": "text"}), 60)),
            (
                true,
                rollup(json!({"type": "incomplete", "incomplete": {}})),
            ),
            (true, rollup(of("array", &id, 25))),
            (true, rollup(of("array", &of("people", &id, 25), 1))),
            (false, json!({"type": "number", "number": 25})),
            (false, json!(null)),
        ] {
            let page = json!({"properties": {"Refs": property}});
            assert_eq!(!names(&page).is_empty(), is_cut, "{page}");
        }
        assert!(names(&json!(null)).is_empty());
    }
}
