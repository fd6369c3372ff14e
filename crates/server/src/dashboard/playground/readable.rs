//! A result for people: its lists as tables, the rest as names and values.

use serde::Serialize;
use serde_json::{Map, Value};

/// The most rows, columns and lists to show.
const ROWS: usize = 20;
const COLUMNS: usize = 6;
const LISTS: usize = 3;
/// The most other values to show.
const VALUES: usize = 24;
/// Characters of a cell.
const CELL: usize = 140;

/// Names of members that help people recognize an item, the most helpful ones first.
const TELLING: [&str; 22] = [
    "name",
    "title",
    "subject",
    "summary",
    "displayname",
    "email",
    "from",
    "to",
    "start",
    "date",
    "status",
    "state",
    "role",
    "type",
    "kind",
    "mimetype",
    "snippet",
    "description",
    "size",
    "location",
    "url",
    "id",
];

/// The part of a result that the page shows.
#[derive(Debug, Default, Serialize, PartialEq)]
pub(super) struct Readable {
    values: Vec<(String, String)>,
    lists: Vec<List>,
    /// Whether it omits something that the JSON has.
    is_partial: bool,
}

/// A list as a table. A list of texts has a single column.
#[derive(Debug, Default, Serialize, PartialEq)]
pub(super) struct List {
    name: String,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    /// How many more items there are.
    more: usize,
}

pub(super) fn readable(value: &Value) -> Readable {
    let mut shown = Readable::default();
    match value {
        Value::Array(items) => shown.lists.push(list("", items)),
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::Array(items) if shown.lists.len() < LISTS && !items.is_empty() => {
                        shown.lists.push(list(name, items));
                    }
                    Value::Array(items) if items.is_empty() => {
                        shown.values.push((name.clone(), String::from("none")));
                    }
                    Value::Object(below) => {
                        let mut cells = Vec::new();
                        flatten(below, name, 1, &mut cells);
                        shown.is_partial |= cells.len() < below.len();
                        shown.values.extend(cells);
                    }
                    Value::Array(_) => shown.is_partial = true,
                    Value::Null => {}
                    value => shown.values.push((name.clone(), cell(value))),
                }
            }
        }
        Value::Null => {}
        value => shown.values.push((String::from("Result"), cell(value))),
    }
    shown.is_partial |= shown.values.len() > VALUES || shown.lists.iter().any(|list| list.more > 0);
    shown.values.truncate(VALUES);
    shown
}

fn list(name: &str, items: &[Value]) -> List {
    let rows: Vec<Vec<(String, String)>> = items.iter().take(ROWS).map(cells).collect();
    let mut columns: Vec<&str> = Vec::new();
    for (name, text) in rows.iter().flatten() {
        if !columns.contains(&name.as_str()) && !text.is_empty() {
            columns.push(name);
        }
    }
    columns.sort_by_key(|column| rank(column));
    columns.truncate(COLUMNS);
    let value = |row: &[(String, String)], column: &str| {
        let found = row.iter().find(|(name, _)| name == column);
        found.map(|(_, text)| text.clone()).unwrap_or_default()
    };
    List {
        name: name.to_owned(),
        rows: rows
            .iter()
            .map(|row| columns.iter().map(|column| value(row, column)).collect())
            .collect(),
        columns: columns
            .iter()
            .map(|column| title(column, &columns))
            .collect(),
        more: items.len().saturating_sub(ROWS),
    }
}

/// The cells of a row: the item's values, including those one and two levels below it.
fn cells(item: &Value) -> Vec<(String, String)> {
    match item {
        Value::Object(members) => {
            let mut cells = Vec::new();
            flatten(members, "", 0, &mut cells);
            cells
        }
        Value::Array(values) => {
            let numbered = values.iter().enumerate();
            numbered
                .map(|(index, value)| ((index + 1).to_string(), cell(value)))
                .collect()
        }
        value => vec![(String::from("Value"), cell(value))],
    }
}

fn flatten(
    members: &Map<String, Value>,
    before: &str,
    depth: usize,
    cells: &mut Vec<(String, String)>,
) {
    for (name, value) in members {
        let name = match before {
            "" => name.clone(),
            before => format!("{before}.{name}"),
        };
        match value {
            Value::Object(below) if depth < 2 => flatten(below, &name, depth + 1, cells),
            Value::Object(_) | Value::Null => {}
            Value::Array(items)
                if items
                    .iter()
                    .all(|item| !item.is_array() && !item.is_object()) =>
            {
                let items: Vec<String> = items.iter().map(cell).collect();
                cells.push((name, cut(&items.join(", "))));
            }
            Value::Array(_) => {}
            value => cells.push((name, cell(value))),
        }
    }
}

/// The last parts of a column's name, if they distinguish it from the others.
fn title(column: &str, columns: &[&str]) -> String {
    let last = |column: &str| {
        let names: Vec<&str> = column.split('.').collect();
        let shown = names.len().saturating_sub(1).clamp(1, 2);
        names[names.len() - shown..].join(" ")
    };
    let own = last(column);
    let is_unique = columns.iter().filter(|other| last(other) == own).count() == 1;
    if is_unique { own } else { column.to_owned() }
}

/// The order of a column: by its last name, then by its depth.
fn rank(column: &str) -> (usize, usize) {
    let names: Vec<String> = column.split('.').map(str::to_lowercase).collect();
    let known = names
        .iter()
        .filter_map(|name| TELLING.iter().position(|telling| telling == name));
    (known.min().unwrap_or(TELLING.len()), names.len())
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text),
        Value::Null => String::new(),
        value => cut(&value.to_string()),
    }
}

fn cut(text: &str) -> String {
    super::cut(text, CELL).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_a_table_with_the_most_useful_columns_first() {
        let items: Vec<Value> = (0..25)
            .map(|n| json!({ "id": n, "readable": { "subject": "<b>", "from": { "name": "Ada" } }, "labels": ["a", "b"], "parts": [{}] }))
            .collect();
        let shown = readable(&json!({ "messages": items, "next": null, "total": 25 }));
        assert_eq!(shown.values, [(String::from("total"), String::from("25"))]);
        let [list] = shown.lists.as_slice() else {
            panic!("{shown:?}")
        };
        assert_eq!(
            (list.rows.len(), list.more, shown.is_partial),
            (20, 5, true)
        );
        assert_eq!(list.columns, ["from name", "subject", "id", "labels"]);
        assert_eq!(list.rows[3], ["Ada", "<b>", "3", "a, b"]);
    }

    #[test]
    fn rows_of_cells_texts_and_single_values_are_shown_too() {
        let shown = readable(&json!([["a", 1], ["b"]]));
        assert_eq!(shown.lists[0].columns, ["1", "2"]);
        assert_eq!(shown.lists[0].rows, [["a", "1"], ["b", ""]]);
        let shown = readable(
            &json!({ "names": ["x"], "of": { "name": "y", "deep": { "z": 1 } }, "none": [] }),
        );
        assert_eq!(shown.lists[0].rows, [["x"]]);
        assert_eq!(
            shown.values,
            [("none", "none"), ("of.deep.z", "1"), ("of.name", "y")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        assert_eq!(readable(&json!("done")).values.len(), 1);
        let long = readable(&json!({ "text": "é".repeat(500) }));
        assert_eq!(long.values[0].1.chars().count(), CELL + 1);
    }
}
