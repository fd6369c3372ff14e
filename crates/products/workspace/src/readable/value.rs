//! Values of a row as plain text, numbers, booleans, dates and lists (Notion API, "Page properties").

use serde_json::{Value, json};
use stead_core::tool::items_of;

/// Runs of rich text as one text; none where there is no word in them.
pub(super) fn plain_text(runs: &Value) -> Option<String> {
    let runs = items_of(runs).iter();
    let text: String = runs.filter_map(|run| run["plain_text"].as_str()).collect();
    (!text.is_empty()).then_some(text)
}

/// The value of a property, or of one that a formula or a rollup holds. One of a type that is not known stays as it is.
pub(super) fn plain_value(property: &Value) -> Value {
    let Some(kind) = property["type"].as_str() else {
        return property.clone();
    };
    let value = &property[kind];
    match kind {
        "title" | "rich_text" => plain_text(value).unwrap_or_default().into(),
        "select" | "status" => value["name"].clone(),
        "multi_select" => list(value, |option| option["name"].clone()),
        "date" => date(value),
        "people" => list(value, person),
        "created_by" | "last_edited_by" => person(value),
        "files" => list(value, |file| file["name"].clone()),
        "relation" => list(value, |page| page["id"].clone()),
        "formula" => plain_value(value),
        "rollup" => match value["type"].as_str() {
            Some("array") => list(&value["array"], plain_value),
            _ => plain_value(value),
        },
        "unique_id" => match (value["prefix"].as_str(), &value["number"]) {
            (Some(prefix), number) => json!(format!("{prefix}-{number}")),
            (None, number) => number.clone(),
        },
        "verification" => value["state"].clone(),
        _ => value.clone(),
    }
}

fn list(items: &Value, read: fn(&Value) -> Value) -> Value {
    items_of(items).iter().map(read).collect()
}

/// `2026-05-01`, or both ends of a range: `2026-05-01/2026-05-03`.
fn date(value: &Value) -> Value {
    match (value["start"].as_str(), value["end"].as_str()) {
        (Some(start), Some(end)) => json!(format!("{start}/{end}")),
        (Some(start), None) => json!(start),
        _ => Value::Null,
    }
}

/// The name, or the id where the integration may not read names.
fn person(user: &Value) -> Value {
    match &user["name"] {
        Value::Null => user["id"].clone(),
        name => name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_plain() {
        let runs = json!([{ "plain_text": "Read " }, { "plain_text": "it", "annotations": { "bold": true } }]);
        let values = [
            ("title", runs.clone(), json!("Read it")),
            ("rich_text", json!([]), json!("")),
            ("number", json!(1.5), json!(1.5)),
            ("checkbox", json!(true), json!(true)),
            ("url", json!(null), json!(null)),
            (
                "select",
                json!({ "name": "Open", "color": "red" }),
                json!("Open"),
            ),
            ("status", json!(null), json!(null)),
            (
                "multi_select",
                json!([{ "name": "a" }, { "name": "b" }]),
                json!(["a", "b"]),
            ),
            (
                "date",
                json!({ "start": "2026-05-01", "end": null }),
                json!("2026-05-01"),
            ),
            (
                "date",
                json!({ "start": "2026-05-01", "end": "2026-05-03" }),
                json!("2026-05-01/2026-05-03"),
            ),
            ("date", json!(null), json!(null)),
            (
                "people",
                json!([{ "id": "1", "name": "Ada" }, { "id": "2" }]),
                json!(["Ada", "2"]),
            ),
            (
                "files",
                json!([{ "name": "a.pdf", "file": { "url": "https://x" } }]),
                json!(["a.pdf"]),
            ),
            ("relation", json!([{ "id": "p1" }]), json!(["p1"])),
            (
                "formula",
                json!({ "type": "string", "string": "x" }),
                json!("x"),
            ),
            (
                "formula",
                json!({ "type": "date", "date": { "start": "2026-05-01" } }),
                json!("2026-05-01"),
            ),
            (
                "rollup",
                json!({ "type": "number", "number": 3, "function": "sum" }),
                json!(3),
            ),
            (
                "rollup",
                json!({ "type": "array", "array": [{ "type": "title", "title": runs }] }),
                json!(["Read it"]),
            ),
            (
                "unique_id",
                json!({ "prefix": "T", "number": 4 }),
                json!("T-4"),
            ),
            (
                "unique_id",
                json!({ "prefix": null, "number": 4 }),
                json!(4),
            ),
            ("created_by", json!({ "id": "1" }), json!("1")),
            ("button", json!({}), json!({})),
        ];
        for (kind, value, expected) in values {
            let mut property = json!({ "id": "x", "type": kind });
            property[kind] = value;
            assert_eq!(plain_value(&property), expected, "{kind}");
        }
        for odd in [json!(null), json!({ "id": "title" }), json!([1])] {
            assert_eq!(plain_value(&odd), odd);
        }
    }
}
