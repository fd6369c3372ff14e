//! Converts values of a row to plain text, numbers, booleans, dates and lists (Notion API, "Page properties").

use serde_json::{Value, json};
use stead_core::tool::items_of;

/// Runs of rich text as one text, with links in Markdown. `None` if it's empty.
pub(super) fn plain_text(runs: &Value) -> Option<String> {
    let text: String = items_of(runs).iter().filter_map(run_text).collect();
    (!text.is_empty()).then_some(text)
}

fn run_text(run: &Value) -> Option<String> {
    let text = run["plain_text"]
        .as_str()
        .or(run["text"]["content"].as_str())?;
    let url = run["href"].as_str().or(run["text"]["link"]["url"].as_str());
    Some(match url {
        Some(url) if !text.trim().is_empty() && text != url => format!("[{text}]({url})"),
        _ => text.to_owned(),
    })
}

/// The value of a property, a formula or a rollup. A value of an unknown type doesn't change.
pub(super) fn plain_value(property: &Value) -> Value {
    let Some(kind) = property["type"].as_str() else {
        return property.clone();
    };
    let Some(value) = property.get(kind) else {
        return property.clone();
    };
    match kind {
        "title" | "rich_text" => plain_text(value).unwrap_or_default().into(),
        "select" | "status" => option(value),
        "multi_select" => list(value, option),
        "date" => date(value),
        "people" => list(value, person),
        "created_by" | "last_edited_by" => person(value),
        "files" => list(value, file),
        "relation" => list(value, |page| page["id"].clone()),
        "formula" => plain_value(value),
        "rollup" => match value["type"].as_str() {
            Some("array") => list(&value["array"], plain_value),
            // These contain nothing but their names.
            Some("incomplete" | "unsupported") => value["type"].clone(),
            _ => plain_value(value),
        },
        "unique_id" => match (value["prefix"].as_str(), &value["number"]) {
            (Some(prefix), Value::Number(number)) if !prefix.is_empty() => {
                json!(format!("{prefix}-{number}"))
            }
            (_, number) => number.clone(),
        },
        "verification" if value["date"].is_null() && value["verified_by"].is_null() => {
            value["state"].clone()
        }
        _ => value.clone(),
    }
}

fn list(items: &Value, read: fn(&Value) -> Value) -> Value {
    items_of(items).iter().map(read).collect()
}

/// The name of an option. An option without a name doesn't change.
pub(super) fn option(option: &Value) -> Value {
    match &option["name"] {
        Value::Null => option.clone(),
        name => name.clone(),
    }
}

/// A date such as `2026-05-01`, or a range such as `2026-05-01/2026-05-03`. A time zone is added:
/// `2026-05-01T09:00:00[Europe/Berlin]`.
fn date(value: &Value) -> Value {
    let zone = value["time_zone"].as_str();
    let zone = zone.map_or_else(String::new, |zone| format!("[{zone}]"));
    match (value["start"].as_str(), value["end"].as_str()) {
        (Some(start), Some(end)) => json!(format!("{start}{zone}/{end}{zone}")),
        (Some(start), None) => json!(format!("{start}{zone}")),
        _ => value.clone(),
    }
}

/// The user's name, or the id if the integration can't read names.
pub(super) fn person(user: &Value) -> Value {
    match (&user["name"], &user["id"]) {
        (Value::Null, Value::Null) => user.clone(),
        (Value::Null, id) => id.clone(),
        (name, _) => name.clone(),
    }
}

/// A file with its address: `{name, url, expiry_time}`. An address of the product expires after an hour.
pub(super) fn file(file: &Value) -> Value {
    let kind = file["type"].as_str();
    let kind = kind.or_else(|| {
        ["file", "external"]
            .into_iter()
            .find(|kind| file.get(kind).is_some())
    });
    let Some(place) = kind
        .and_then(|kind| file.get(kind))
        .filter(|place| place.is_object())
    else {
        return file.clone();
    };
    let mut short = place.clone();
    for name in ["name", "category"] {
        if !file[name].is_null() && file[name] != place["url"] {
            short[name] = file[name].clone();
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use stead_testkit::cases;

    use super::*;

    #[test]
    fn values_are_plain() {
        let table = r#"
            title => [{"plain_text": "Read "}, {"plain_text": "it", "annotations": {"bold": true}}] => "Read it"
            rich_text => [] => ""
            number => 1.5 => 1.5
            checkbox => true => true
            url => null => null
            select => {"name": "Open", "color": "red"} => "Open"
            status => null => null
            multi_select => [{"name": "a"}, {"name": "b"}] => ["a", "b"]
            date => {"start": "2026-05-01", "end": null} => "2026-05-01"
            date => {"start": "2026-05-01", "end": "2026-05-03"} => "2026-05-01/2026-05-03"
            date => null => null
            people => [{"id": "1", "name": "Ada"}, {"id": "2"}] => ["Ada", "2"]
            files => [{"name": "a.pdf", "type": "file", "file": {"url": "https://x", "expiry_time": "2026-05-01T10:00:00.000Z"}}, {"name": "b", "external": {"url": "https://y"}}, {"name": "https://z", "type": "external", "external": {"url": "https://z"}}, {"name": "c"}] => [{"name": "a.pdf", "url": "https://x", "expiry_time": "2026-05-01T10:00:00.000Z"}, {"name": "b", "url": "https://y"}, {"url": "https://z"}, {"name": "c"}]
            relation => [{"id": "p1"}] => ["p1"]
            formula => {"type": "string", "string": "x"} => "x"
            formula => {"type": "date", "date": {"start": "2026-05-01"}} => "2026-05-01"
            rollup => {"type": "number", "number": 3, "function": "sum"} => 3
            rollup => {"type": "array", "array": [{"type": "title", "title": [{"plain_text": "Read "}, {"plain_text": "it", "annotations": {"bold": true}}]}]} => ["Read it"]
            unique_id => {"prefix": "T", "number": 4} => "T-4"
            unique_id => {"prefix": null, "number": 4} => 4
            unique_id => {"prefix": "TASK", "number": null} => null
            rich_text => [{"plain_text": "the "}, {"plain_text": "plan", "href": "https://x"}, {"plain_text": "https://y", "href": "https://y"}, {"type": "text", "text": {"content": " new", "link": {"url": "https://z"}}}] => "the [plan](https://x)https://y[ new](https://z)"
            date => {"start": "2026-05-01T09:00:00", "end": null, "time_zone": "Europe/Berlin"} => "2026-05-01T09:00:00[Europe/Berlin]"
            date => {"when": "soon"} => {"when": "soon"}
            select => {"id": "x"} => {"id": "x"}
            rollup => {"type": "unsupported", "unsupported": {}, "function": "median"} => "unsupported"
            verification => {"state": "verified", "verified_by": {"id": "1"}, "date": null} => {"state": "verified", "verified_by": {"id": "1"}, "date": null}
            created_by => {"id": "1"} => "1"
            button => {} => {}
        "#;
        for [kind, value, expected] in cases(table) {
            let read = |text| serde_json::from_str::<Value>(text).unwrap();
            let mut property = json!({ "id": "x", "type": kind });
            property[kind] = read(value);
            assert_eq!(plain_value(&property), read(expected), "{kind}");
        }
        for odd in [
            json!(null),
            json!({ "id": "title" }),
            json!([1]),
            json!({ "type": "aura", "hue": 3 }),
        ] {
            assert_eq!(plain_value(&odd), odd);
        }
    }
}
