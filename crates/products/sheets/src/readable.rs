//! The readable views of the results: displayed values, without formats.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use stead_core::tool::{Readable, Whole, items_of, text_of};

use crate::CellValue;

/// Values of a range, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ValuesView {
    /// Range in A1 notation.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    /// `COLUMNS` if the inner lists are columns; rows when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    major_dimension: Option<String>,
    /// The values. Empty rows and columns at the end are omitted, so the inner lists can differ in length.
    #[schemars(with = "Vec<Vec<CellValue>>")]
    values: Vec<Value>,
}

impl Readable for ValuesView {
    const UNTRUSTED: &'static [&'static str] = &["values"];

    fn of(result: Value) -> Self {
        Self {
            range: text_of(&result["range"]),
            major_dimension: text_of(&result["majorDimension"]).filter(|name| name != "ROWS"),
            values: items_of(&result["values"]).to_vec(),
        }
    }
}

/// A spreadsheet, shortened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SpreadsheetView {
    /// Id of the spreadsheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    spreadsheet_id: Option<String>,
    /// Title of the spreadsheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Link to the spreadsheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// IANA name of the time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
    /// The sheets in order.
    sheets: Vec<SheetView>,
    /// Names of the named ranges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    named_ranges: Vec<String>,
    /// Cells of each named range, such as `'Plan'!A1:B3`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    named_range_cells: BTreeMap<String, String>,
}

/// A sheet, shortened.
#[derive(Debug, Serialize, JsonSchema)]
struct SheetView {
    /// Id of the sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    /// Title of the sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Number of rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    /// Number of columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<u64>,
    /// Whether the sheet is hidden.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    hidden: bool,
    /// The cells, one item for each range; only with `include_grid_data`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cells: Vec<CellsView>,
    /// Names of other members of the sheet, such as `charts`; the view `full` has their content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
}

/// Members of a sheet that the view shows in another form, and members that are only formats.
const SHOWN: [&str; 4] = ["properties", "data", "bandedRanges", "conditionalFormats"];

/// Cells of a range, shortened.
#[derive(Debug, Serialize, JsonSchema)]
struct CellsView {
    /// Row of the first value, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_row: Option<u64>,
    /// Column of the first value, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u64>,
    /// The displayed values by row; `null` for an empty cell. Empty cells at the end of a row and empty rows at the end are
    /// omitted.
    values: Vec<Vec<Option<String>>>,
    /// Formulas by cell: `{"B2": "=SUM(A1:A9)"}`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    formulas: BTreeMap<String, String>,
    /// Notes by cell.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    notes: BTreeMap<String, String>,
    /// Link addresses by cell.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    links: BTreeMap<String, String>,
}

impl SheetView {
    fn of(sheet: &Value) -> Self {
        let (about, grid) = (&sheet["properties"], &sheet["properties"]["gridProperties"]);
        Self {
            id: about["sheetId"].as_i64(),
            title: text_of(&about["title"]),
            rows: grid["rowCount"].as_u64(),
            columns: grid["columnCount"].as_u64(),
            hidden: about["hidden"] == true,
            cells: items_of(&sheet["data"]).iter().map(CellsView::of).collect(),
            left_out: left_out(sheet).map(str::to_owned).collect(),
        }
    }
}

/// Names of the sheet's members that the view doesn't show.
fn left_out(sheet: &Value) -> impl Iterator<Item = &str> {
    let members = sheet.as_object().into_iter().flatten();
    let names = members.map(|(name, _)| name.as_str());
    names.filter(|name| !SHOWN.contains(name))
}

/// The name of a cell by row and column from 0, such as `B2`.
fn cell_name(row: u64, column: u64) -> String {
    format!("{}{}", column_name(column), row + 1)
}

fn column_name(column: u64) -> String {
    let letter = char::from(b'A' + u8::try_from(column % 26).unwrap_or_default());
    let before = (column / 26).checked_sub(1).map(column_name);
    format!("{}{letter}", before.unwrap_or_default())
}

/// A range in the API (Sheets API, `GridRange`) in A1 notation. If an end is absent, the range is open at that end.
fn range_name(range: &Value, title: &str) -> String {
    let number = |name: &str| range[name].as_u64();
    let first = |name: &str| number(name).unwrap_or_default();
    let (rows, columns) = (number("endRowIndex"), number("endColumnIndex"));
    let row = |row: u64| (row + 1).to_string();
    let start = match (rows, columns) {
        (Some(_), None) => row(first("startRowIndex")),
        (None, Some(_)) if first("startRowIndex") == 0 => column_name(first("startColumnIndex")),
        _ => cell_name(first("startRowIndex"), first("startColumnIndex")),
    };
    let last = |end: u64| end.saturating_sub(1);
    let end = match (rows, columns) {
        (Some(rows), Some(columns)) => cell_name(last(rows), last(columns)),
        (Some(rows), None) => row(last(rows)),
        (None, Some(columns)) => column_name(last(columns)),
        (None, None) => return format!("'{}'", title.replace('\'', "''")),
    };
    format!("'{}'!{start}:{end}", title.replace('\'', "''"))
}

impl CellsView {
    fn of(grid: &Value) -> Self {
        let row = |row: &Value| {
            let cells = items_of(&row["values"]).iter();
            let shown = cells.map(|cell| text_of(&cell["formattedValue"]));
            without_end(shown.collect(), Option::is_none)
        };
        let rows = items_of(&grid["rowData"]).iter().map(row);
        let by_cell = |text: &dyn Fn(&Value) -> Option<String>| {
            let mut found = BTreeMap::new();
            let (top, left) = (&grid["startRow"], &grid["startColumn"]);
            for (row, cells) in (top.as_u64().unwrap_or_default()..).zip(items_of(&grid["rowData"]))
            {
                let columns = left.as_u64().unwrap_or_default()..;
                for (column, cell) in columns.zip(items_of(&cells["values"])) {
                    found.extend(text(cell).map(|text| (cell_name(row, column), text)));
                }
            }
            found
        };
        Self {
            formulas: by_cell(&|cell| text_of(&cell["userEnteredValue"]["formulaValue"])),
            notes: by_cell(&|cell| text_of(&cell["note"])),
            links: by_cell(&|cell| text_of(&cell["hyperlink"])),
            start_row: grid["startRow"].as_u64(),
            start_column: grid["startColumn"].as_u64(),
            values: without_end(rows.collect(), Vec::is_empty),
        }
    }
}

fn without_end<T>(mut items: Vec<T>, is_empty: fn(&T) -> bool) -> Vec<T> {
    while items.pop_if(|item| is_empty(item)).is_some() {}
    items
}

impl Readable for SpreadsheetView {
    const UNTRUSTED: &'static [&'static str] = &[
        "title",
        "sheets[].title",
        "sheets[].cells[].values",
        "sheets[].cells[].formulas",
        "sheets[].cells[].notes",
        "sheets[].cells[].links",
        "named_ranges",
        "named_range_cells",
    ];

    fn of(result: Value) -> Self {
        let about = &result["properties"];
        let names = items_of(&result["namedRanges"]).iter();
        let titled = |id: i64| {
            let mut sheets = items_of(&result["sheets"])
                .iter()
                .map(|sheet| &sheet["properties"]);
            let about = sheets.find(|about| about["sheetId"].as_i64().unwrap_or_default() == id)?;
            text_of(&about["title"])
        };
        let place = |named: &Value| {
            let title = titled(named["range"]["sheetId"].as_i64().unwrap_or_default())?;
            Some((
                text_of(&named["name"])?,
                range_name(&named["range"], &title),
            ))
        };
        Self {
            named_range_cells: names.clone().filter_map(place).collect(),
            spreadsheet_id: text_of(&result["spreadsheetId"]),
            title: text_of(&about["title"]),
            url: text_of(&result["spreadsheetUrl"]),
            time_zone: text_of(&about["timeZone"]),
            sheets: items_of(&result["sheets"])
                .iter()
                .map(SheetView::of)
                .collect(),
            named_ranges: names.filter_map(|range| text_of(&range["name"])).collect(),
        }
    }

    fn wholes(&self) -> Vec<Whole> {
        let sheets = self.sheets.iter().enumerate();
        let whole = |(sheet, view): (usize, &SheetView)| {
            let lists = view.left_out.clone().into_iter();
            lists.map(move |name| {
                Whole::list(
                    format!("/sheets/{sheet}/left_out"),
                    format!("/sheets/{sheet}/{name}"),
                )
            })
        };
        sheets.flat_map(whole).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_are_values_as_they_are_shown() {
        let shown =
            |text: &str| json!({ "formattedValue": text, "userEnteredFormat": { "bold": true } });
        let rows = json!([
            { "values": [shown("a"), {}, shown("1.50 €"), {}] }, {}, { "values": [shown("b")] }, { "values": [{}] },
        ]);
        let sheet =
            json!({ "properties": { "title": "T" }, "data": [{ "startRow": 2, "rowData": rows }] });
        let view = SpreadsheetView::of(json!({ "sheets": [sheet] }));
        let values = json!([["a", null, "1.50 €"], [], ["b"]]);
        assert_eq!(
            serde_json::to_value(view).unwrap(),
            json!({ "sheets": [{ "title": "T", "cells": [{ "start_row": 2, "values": values }] }] })
        );
    }
}
