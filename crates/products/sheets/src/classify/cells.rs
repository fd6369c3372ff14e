//! Recognises changes that remove the content of cells.

use serde_json::{Map, Value};
use stead_core::product::sent::{Unclear, list};

/// Whether one of several changes deletes something, or might.
pub(super) fn deletes(body: Option<&Map<String, Value>>) -> bool {
    let is_delete = |change: &Value| match change {
        Value::Object(change) => change.iter().any(|(name, what)| {
            name.to_ascii_lowercase().starts_with("delete") || empties(name, what)
        }),
        _ => true,
    };
    body.ok_or(Unclear)
        .and_then(|body| list(body, "requests"))
        .map_or(true, |changes| changes.iter().any(is_delete))
}

/// Whether a change removes something although its name doesn't say so.
fn empties(name: &str, what: &Value) -> bool {
    let fields = what["fields"].as_str().unwrap_or_default();
    let names = |part: &str| fields.split(',').any(|one| one.trim().starts_with(part));
    let writes_values = names("*") || names("userEnteredValue") || names("note");
    let has_value = |cell: &Value| match &cell["userEnteredValue"] {
        Value::Object(value) => value.values().any(|value| value.as_str() != Some("")),
        _ => false,
    };
    match name {
        "updateCells" => {
            let rows = what["rows"].as_array().into_iter().flatten();
            let mut cells = rows.flat_map(|row| row["values"].as_array().into_iter().flatten());
            writes_values && !cells.any(has_value)
        }
        "repeatCell" => writes_values && !has_value(&what["cell"]),
        "findReplace" => what["replacement"].as_str().is_none_or(str::is_empty),
        // A merge keeps only the first cell.
        "mergeCells" => true,
        "updateSheetProperties" => {
            let grid = &what["properties"]["gridProperties"];
            let has_size = grid.get("rowCount").or(grid.get("columnCount")).is_some();
            has_size || names("*") || names("gridProperties")
        }
        _ => false,
    }
}

/// Whether the written values only clear cells, which an empty text does.
pub(super) fn clears(body: Option<&Map<String, Value>>) -> bool {
    let Some(body) = body else {
        return true;
    };
    let mut cells = Vec::new();
    let one = body.get("values");
    let several = body.get("data").and_then(Value::as_array);
    let several = several.into_iter().flatten().map(|range| &range["values"]);
    for values in one.into_iter().chain(several) {
        flatten(values, &mut cells);
    }
    // A null doesn't change its cell.
    cells.retain(|cell| !cell.is_null());
    !cells.is_empty() && cells.iter().all(|cell| cell.as_str() == Some(""))
}

fn flatten<'a>(value: &'a Value, cells: &mut Vec<&'a Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flatten(item, cells)),
        cell => cells.push(cell),
    }
}
