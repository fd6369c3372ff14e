//! The readable views of the tools' results: values as they are shown, without formats.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use stead_core::tool::{Readable, items_of, text_of};

use crate::CellValue;

/// Values of a range in short.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ValuesView {
    /// Range in A1 notation.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    /// `COLUMNS` where the inner lists are columns; they are rows when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    major_dimension: Option<String>,
    /// The values. Empty rows and columns at the end are left out, so the inner lists can differ in length.
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

/// A spreadsheet in short.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SpreadsheetView {
    /// Id of the spreadsheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    spreadsheet_id: Option<String>,
    /// Title of the spreadsheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Address of the spreadsheet's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// IANA name of the time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
    /// The sheets in their order.
    sheets: Vec<SheetView>,
    /// Names of ranges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    named_ranges: Vec<String>,
}

/// A sheet in short.
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
}

/// Cells of a range in short.
#[derive(Debug, Serialize, JsonSchema)]
struct CellsView {
    /// Row of the first value, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_row: Option<u64>,
    /// Column of the first value, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u64>,
    /// The values by rows, as they are shown; `null` for an empty cell. Empty cells at the end of a row, and empty rows at
    /// the end, are left out.
    values: Vec<Vec<Option<String>>>,
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
        }
    }
}

impl CellsView {
    fn of(grid: &Value) -> Self {
        let row = |row: &Value| {
            let cells = items_of(&row["values"]).iter();
            let shown = cells.map(|cell| text_of(&cell["formattedValue"]));
            without_end(shown.collect(), Option::is_none)
        };
        let rows = items_of(&grid["rowData"]).iter().map(row);
        Self {
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
        "named_ranges",
    ];

    fn of(result: Value) -> Self {
        let about = &result["properties"];
        let names = items_of(&result["namedRanges"]).iter();
        Self {
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
