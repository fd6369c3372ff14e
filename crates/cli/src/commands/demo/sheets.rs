use serde_json::{Value, json};

use super::case::{Case, World, list, same, same_texts};

/// Title of the spreadsheet that the demo creates.
const TITLE: &str = "Made by the demo";

/// Every sheets tool.
pub(super) const CASES: &[Case] = &[
    Case {
        tool: "sheets_create_spreadsheet",
        input: |_| json!({ "title": TITLE, "sheets": [{ "title": "Plan" }] }),
        check: |world, data| {
            let made = &data["spreadsheetId"];
            let mut known = world.list("spreadsheets").iter();
            let known = known.find(|known| known["id"] == *made);
            let known = known.ok_or_else(|| format!("the sandbox has no spreadsheet {made}"))?;
            same("title", &known["title"], &json!(TITLE))?;
            let titles = list(data, "sheets")
                .iter()
                .map(|sheet| &sheet["properties"]["title"]);
            same_texts(
                "sheets",
                list(known, "sheets").iter().map(|sheet| &sheet["title"]),
                titles,
            )?;
            Ok(format!("\"{TITLE}\", one sheet"))
        },
    },
    Case {
        tool: "sheets_get_values",
        input: |world| {
            let (spreadsheet, sheet) = fullest(world);
            json!({
                "spreadsheet_id": spreadsheet["id"],
                "range": quoted(sheet),
                "value_render_option": "FORMULA",
            })
        },
        check: |world, data| {
            let (_, sheet) = fullest(world);
            for cell in list(sheet, "cells") {
                let place = (&cell["row"], &cell["column"]);
                let seen = &data["values"][index(place.0)][index(place.1)];
                same_value(&format!("cell {place:?}"), &cell["entered"], seen)?;
            }
            Ok(format!("{} cells", list(sheet, "cells").len()))
        },
    },
    Case {
        tool: "sheets_read_spreadsheet",
        input: |world| json!({ "spreadsheet_id": fullest(world).0["id"], "include_grid_data": true }),
        check: |world, data| {
            let (spreadsheet, _) = fullest(world);
            same("title", &spreadsheet["title"], &data["properties"]["title"])?;
            let titles = list(data, "sheets")
                .iter()
                .map(|sheet| &sheet["properties"]["title"]);
            let known = list(spreadsheet, "sheets")
                .iter()
                .map(|sheet| &sheet["title"]);
            let count = same_texts("sheets", known, titles)?;
            for (known, seen) in list(spreadsheet, "sheets").iter().zip(list(data, "sheets")) {
                for cell in list(known, "cells") {
                    let row = &seen["data"][0]["rowData"][index(&cell["row"])];
                    let entered = &row["values"][index(&cell["column"])]["userEnteredValue"];
                    let mut values = entered
                        .as_object()
                        .into_iter()
                        .flat_map(|value| value.values());
                    same_value(
                        "cell",
                        &cell["entered"],
                        values.next().unwrap_or(&Value::Null),
                    )?;
                }
            }
            Ok(format!("{count} sheets with their cells"))
        },
    },
    Case {
        tool: "sheets_update_values",
        input: |world| {
            let (spreadsheet, sheet) = empty(world);
            json!({
                "spreadsheet_id": spreadsheet["id"],
                "range": format!("{}!A1:B2", quoted(sheet)),
                "values": written(),
            })
        },
        check: |world, data| {
            same("cells", &json!(3), &data["updatedCells"])?;
            let (_, sheet) = empty(world);
            for (row, column) in [(0, 0), (0, 1), (1, 1)] {
                let mut cells = list(sheet, "cells").iter();
                let cell = cells.find(|cell| cell["row"] == row && cell["column"] == column);
                let kept = cell.map_or(&Value::Null, |cell| &cell["entered"]);
                same_value("written cell", kept, &written()[row][column])?;
            }
            Ok(String::from("3 cells written and kept"))
        },
    },
];

/// A text that would be a formula if it were not written raw; `null` skips a cell.
fn written() -> Value {
    json!([["=NOW()", 1.5], [null, true]])
}

/// The sheet with the most cells, with its spreadsheet.
fn fullest(world: &World) -> (&Value, &Value) {
    let sheets = sheets(world).filter(|(_, sheet)| sheet["title"] != SCRATCH);
    sheets
        .max_by_key(|(_, sheet)| list(sheet, "cells").len())
        .unwrap_or((&Value::Null, &Value::Null))
}

/// The sheet that the sandbox leaves empty for whoever wants to write.
const SCRATCH: &str = "Empty";

fn empty(world: &World) -> (&Value, &Value) {
    let mut scratch = sheets(world).filter(|(_, sheet)| sheet["title"] == SCRATCH);
    scratch.next().unwrap_or((&Value::Null, &Value::Null))
}

/// Every sheet of a spreadsheet that the user may change.
fn sheets(world: &World) -> impl Iterator<Item = (&Value, &Value)> {
    let spreadsheets = world.list("spreadsheets").iter();
    spreadsheets
        .filter(|spreadsheet| spreadsheet["may_change"] == true)
        .flat_map(|spreadsheet| {
            list(spreadsheet, "sheets")
                .iter()
                .map(move |sheet| (spreadsheet, sheet))
        })
}

/// A sheet's title as a range.
fn quoted(sheet: &Value) -> String {
    let title = sheet["title"].as_str().unwrap_or_default();
    format!("'{}'", title.replace('\'', "''"))
}

fn index(number: &Value) -> usize {
    number
        .as_u64()
        .and_then(|number| number.try_into().ok())
        .unwrap_or(usize::MAX)
}

/// The same value; 19 and 19.0 are one number.
fn same_value(what: &str, expected: &Value, seen: &Value) -> Result<(), String> {
    match (expected.as_f64(), seen.as_f64()) {
        (Some(one), Some(other)) if one == other => Ok(()),
        _ => same(what, expected, seen),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sheets_tool_is_shown() {
        let product = stead::core::catalogue::Catalogue::new([&stead::sheets::PRODUCT]);
        for tool in product.newest() {
            let name = tool.entry().name();
            assert!(CASES.iter().any(|case| case.tool == name), "{name}");
        }
    }
}
