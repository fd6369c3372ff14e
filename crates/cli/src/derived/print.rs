//! Prints any result: a list as a table, a resource as a line for each member.

use serde_json::{Map, Value};

use crate::terminal::Terminal;

/// Prints the result of an operation.
pub(super) fn result(result: &Value, terminal: &Terminal) {
    match result {
        Value::Null => terminal.note("Done."),
        _ if terminal.json() => terminal.result_json(result),
        Value::Array(none) if none.is_empty() => terminal.note("There are none."),
        Value::Array(items) => list(items, terminal),
        Value::Object(members) => {
            let rows = columns(&[members]).into_iter();
            let rows = rows.map(|name| vec![name.replace('_', " "), text(&members[name])]);
            terminal.rows(&[], rows.collect());
        }
        other => terminal.result(text(other)),
    }
}

/// Prints a table.
fn list(items: &[Value], terminal: &Terminal) {
    let items: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
    let columns = columns(&items);
    let rows = items.iter().map(|item| {
        let values = columns.iter().map(|name| item.get(*name).map(text));
        values.map(Option::unwrap_or_default).collect()
    });
    let headings: Vec<String> = columns
        .iter()
        .map(|name| name.replace('_', " ").to_uppercase())
        .collect();
    terminal.rows(&headings, rows.collect());
}

/// The members that have a value in some item: IDs first, and times last.
fn columns<'a>(items: &[&'a Map<String, Value>]) -> Vec<&'a str> {
    let mut columns = Vec::new();
    for (name, value) in items.iter().copied().flatten() {
        if !value.is_null() && !columns.contains(&name.as_str()) {
            columns.push(name.as_str());
        }
    }
    columns.sort_by_key(|name| match name.rsplit('_').next() {
        Some("id") => 0,
        Some("at") => 2,
        _ => 1,
    });
    columns
}

/// A value on one line.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Array(items) if !items.iter().any(|one| one.is_array() || one.is_object()) => {
            items.iter().map(text).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_one_line() {
        assert_eq!(text(&json!("two\nlines")), "two lines");
        assert_eq!(text(&json!(["a", 1, true])), "a, 1, true");
        assert_eq!(text(&json!([{ "a": 1 }])), r#"[{"a":1}]"#);
    }

    #[test]
    fn members_without_a_value_have_no_column() {
        let items = [
            json!({ "created_at": "today", "none": null, "note_id": 1 }),
            json!({ "note_id": 2, "some": "a" }),
        ];
        let items: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
        assert_eq!(columns(&items), ["note_id", "some", "created_at"]);
    }
}
