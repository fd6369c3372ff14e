//! `spreadsheets.get`: returns the properties of a spreadsheet, and its cells if the call asks for them.

use serde_json::{Map, Value, json};

use super::{
    formula::{self, Effective},
    range::{self, Area},
    readable,
};
use crate::google::{
    ApiError, Call, State,
    world::files::{Cell, Entered, Format, Sheet, Spreadsheet},
};

pub(super) fn get(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let (spreadsheet, file) = readable(&state.world.files, call, call.variable(0))?;
    let areas = call
        .query
        .all("ranges")
        .map(|text| range::find(spreadsheet, text))
        .collect::<Result<Vec<_>, _>>()?;
    // With a mask, the mask decides (spreadsheets.get, `includeGridData`).
    let with_cells = call.flag("includeGridData") || call.text("fields").is_some();
    Ok(shown(spreadsheet, &file.name, &areas, with_cells))
}

/// Shows a `Spreadsheet`. With areas, it has only the sheets that contain them.
pub(super) fn shown(
    spreadsheet: &Spreadsheet,
    title: &str,
    areas: &[Area],
    with_cells: bool,
) -> Value {
    let sheets: Vec<Value> = spreadsheet
        .sheets
        .iter()
        .enumerate()
        .filter(|(index, _)| areas.is_empty() || areas.iter().any(|area| area.sheet == *index))
        .map(|(index, sheet)| one(spreadsheet, index, sheet, areas, with_cells))
        .collect();
    let mut shown = json!({
        "spreadsheetId": spreadsheet.id,
        "properties": {
            "title": title,
            "locale": spreadsheet.locale,
            "autoRecalc": "ON_CHANGE",
            "timeZone": spreadsheet.time_zone,
            "defaultFormat": default_format(),
        },
        "sheets": sheets,
        "spreadsheetUrl": format!("https://docs.google.com/spreadsheets/d/{}/edit", spreadsheet.id),
    });
    if !spreadsheet.named_ranges.is_empty() {
        let named = spreadsheet.named_ranges.iter().map(|named| {
            json!({
                "namedRangeId": named.id,
                "name": named.name,
                "range": {
                    "sheetId": named.sheet,
                    "startRowIndex": named.rows.0,
                    "endRowIndex": named.rows.1,
                    "startColumnIndex": named.columns.0,
                    "endColumnIndex": named.columns.1,
                },
            })
        });
        shown["namedRanges"] = named.collect();
    }
    shown
}

/// The format of cells without their own format.
fn default_format() -> Value {
    let white = json!({ "red": 1, "green": 1, "blue": 1 });
    json!({
        "backgroundColor": white,
        "padding": { "top": 2, "right": 3, "bottom": 2, "left": 3 },
        "verticalAlignment": "BOTTOM",
        "wrapStrategy": "OVERFLOW_CELL",
        "textFormat": {
            "foregroundColor": {},
            "fontFamily": "arial,sans,sans-serif",
            "fontSize": 10,
            "bold": false,
            "italic": false,
            "strikethrough": false,
            "underline": false,
            "foregroundColorStyle": { "rgbColor": {} },
        },
        "backgroundColorStyle": { "rgbColor": white },
    })
}

/// Shows a `Sheet`.
fn one(
    spreadsheet: &Spreadsheet,
    index: usize,
    sheet: &Sheet,
    areas: &[Area],
    with_cells: bool,
) -> Value {
    let mut grid = sheet.more_of_grid.clone();
    grid.insert("rowCount".to_owned(), json!(sheet.rows));
    grid.insert("columnCount".to_owned(), json!(sheet.columns));
    for (name, count) in [
        ("frozenRowCount", sheet.frozen_rows),
        ("frozenColumnCount", sheet.frozen_columns),
    ] {
        if count > 0 {
            grid.insert(name.to_owned(), json!(count));
        }
    }
    let mut properties = Value::Object(sheet.more.clone());
    properties["sheetId"] = json!(sheet.id);
    properties["title"] = json!(sheet.title);
    properties["index"] = json!(index);
    properties["sheetType"] = json!("GRID");
    properties["gridProperties"] = Value::Object(grid);
    if sheet.hidden {
        properties["hidden"] = json!(true);
    }
    let mut shown = json!({"properties": properties});
    if with_cells {
        let whole = [Area {
            sheet: index,
            rows: 0..sheet.rows,
            columns: 0..sheet.columns,
            open: true,
        }];
        let wanted = if areas.is_empty() { &whole } else { areas };
        let wanted = wanted.iter().filter(|area| area.sheet == index);
        shown["data"] = wanted.map(|area| data(spreadsheet, sheet, area)).collect();
    }
    shown
}

/// Shows `GridData`: the rows that have content, and the sizes for the whole area.
fn data(spreadsheet: &Spreadsheet, sheet: &Sheet, area: &Area) -> Value {
    let (rows, columns) = formula::used(spreadsheet, area);
    let row = |row: u32| {
        let cells = columns
            .clone()
            .map(|column| match sheet.cells.get(&(row, column)) {
                Some(found) => cell(
                    found,
                    &formula::value(spreadsheet, area.sheet, row, column),
                    formula::format(spreadsheet, area.sheet, found),
                ),
                None => json!({}),
            });
        json!({"values": cells.collect::<Vec<_>>()})
    };
    let sizes = |count: usize, pixels: u32| vec![json!({"pixelSize": pixels}); count];
    let mut shown = Map::new();
    for (name, start) in [
        ("startRow", area.rows.start),
        ("startColumn", area.columns.start),
    ] {
        if start > 0 {
            shown.insert(name.to_owned(), json!(start));
        }
    }
    if !rows.is_empty() {
        shown.insert("rowData".to_owned(), rows.map(row).collect());
    }
    shown.insert("rowMetadata".to_owned(), json!(sizes(area.rows.len(), 21)));
    shown.insert(
        "columnMetadata".to_owned(),
        json!(sizes(area.columns.len(), 100)),
    );
    Value::Object(shown)
}

/// Shows `CellData`.
fn cell(cell: &Cell, effective: &Effective, format: Format) -> Value {
    let entered = match &cell.entered {
        Entered::Text(text) => json!({"stringValue": text}),
        Entered::Number(number) => json!({"numberValue": formula::number(*number)}),
        Entered::Bool(value) => json!({"boolValue": value}),
        Entered::Formula(text) => json!({"formulaValue": text}),
    };
    let calculated = match effective {
        Effective::Empty => json!({}),
        Effective::Text(text) => json!({"stringValue": text}),
        Effective::Number(number) => json!({"numberValue": formula::number(*number)}),
        Effective::Bool(value) => json!({"boolValue": value}),
        Effective::Error(kind, _, why) => json!({"errorValue": {"type": kind, "message": why}}),
    };
    let mut shown = json!({
        "userEnteredValue": entered,
        "effectiveValue": calculated,
        "formattedValue": formula::formatted(effective, format),
    });
    let number_format = match format {
        Format::Automatic => return shown,
        Format::Date => json!({"type": "DATE", "pattern": "yyyy-mm-dd"}),
        Format::Currency => json!({"type": "CURRENCY", "pattern": "\"$\"#,##0.00"}),
        Format::Percent { digits: 0 } => json!({"type": "PERCENT", "pattern": "0%"}),
        Format::Percent { .. } => json!({"type": "PERCENT", "pattern": "0.00%"}),
    };
    if cell.format == format {
        shown["userEnteredFormat"] = json!({"numberFormat": number_format});
    }
    shown["effectiveFormat"] = json!({"numberFormat": number_format});
    shown
}
