//! Values of a range: read, written, appended and cleared.

use serde_json::{Map, Value, json};

use super::{
    changeable,
    format_value::{self, ValueOptions},
    range::{self, Area},
    readable,
    write::{self, Planned},
};
use crate::google::{
    ApiError, Call, Members as _, State,
    world::files::{Entered, Sheet, Spreadsheet},
};

/// `values.get`: the values of a range.
pub(super) fn get(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let (spreadsheet, _) = readable(&state.world.files, call, call.variable(0))?;
    let text = call.variable(1);
    let area = range::find(spreadsheet, text)?;
    let options = ValueOptions::of(call, "valueRenderOption", "dateTimeRenderOption");
    let by_columns = call.text("majorDimension") == Some("COLUMNS");
    Ok(shown(spreadsheet, &area, options, by_columns))
}

/// A `ValueRange`; `values` is absent where there is nothing.
pub(super) fn shown(
    spreadsheet: &Spreadsheet,
    area: &Area,
    options: ValueOptions,
    by_columns: bool,
) -> Value {
    let sheet = spreadsheet.sheets.get(area.sheet);
    let mut shown = json!({
        "range": sheet.map(|sheet| range::written(sheet, &area.rows, &area.columns)),
        "majorDimension": if by_columns { "COLUMNS" } else { "ROWS" },
    });
    let values = format_value::values(spreadsheet, area, options, by_columns);
    if !values.is_empty() {
        shown["values"] = json!(values);
    }
    shown
}

/// `values.update`: writes values into a range.
pub(super) fn update(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let typed = write::is_typed(call.text("valueInputOption"))?;
    let id = call.variable(0);
    let spreadsheet = changeable(&state.world.files, call, id)?;
    let planned = Planned::read(spreadsheet, call.variable(1), &call.body, typed)?;
    let options = ValueOptions::of(
        call,
        "responseValueRenderOption",
        "responseDateTimeRenderOption",
    );
    let shown = call.flag("includeValuesInResponse").then_some(options);
    Ok(planned.write(write::changed(state, call, id)?, shown))
}

/// `values.clear`: empties the cells of a range.
pub(super) fn clear(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let id = call.variable(0);
    let spreadsheet = changeable(&state.world.files, call, id)?;
    let area = range::find(spreadsheet, call.variable(1))?;
    let spreadsheet = write::changed(state, call, id)?;
    let Some(sheet) = spreadsheet.sheets.get_mut(area.sheet) else {
        return Err(ApiError::not_found());
    };
    let is_inside =
        |row: &u32, column: &u32| area.rows.contains(row) && area.columns.contains(column);
    sheet
        .cells
        .retain(|(row, column), _| !is_inside(row, column));
    let cleared = range::written(sheet, &area.rows, &area.columns);
    Ok(json!({"spreadsheetId": id, "clearedRange": cleared}))
}

/// `values.append`: writes values below a table.
pub(super) fn append(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let typed = write::is_typed(call.text("valueInputOption"))?;
    let (id, text) = (call.variable(0), call.variable(1));
    let spreadsheet = changeable(&state.world.files, call, id)?;
    let searched = range::find(spreadsheet, text)?;
    let mut sheet = write::sheet_of(spreadsheet, &searched)?.clone();
    let table = table(&sheet, &searched);
    let start = match &table {
        Some(table) => (table.rows.end, table.columns.start),
        None => (searched.rows.start, searched.columns.start),
    };
    let longest = longest(&call.body)?;
    if call.text("insertDataOption") == Some("INSERT_ROWS") && table.is_some() {
        insert_rows(&mut sheet, start.0, longest)?;
    }
    // The grid grows downwards as far as the values need it.
    sheet.rows = sheet.rows.max(start.0.saturating_add(longest));
    let target = Area {
        sheet: searched.sheet,
        rows: start.0..start.0 + 1,
        columns: start.1..start.1 + 1,
        open: true,
    };
    let planned = Planned::at(&sheet, target, &call.body, typed)?;
    let options = ValueOptions::of(
        call,
        "responseValueRenderOption",
        "responseDateTimeRenderOption",
    );
    let shown = call.flag("includeValuesInResponse").then_some(options);
    let spreadsheet = write::changed(state, call, id)?;
    let mut response = json!({"spreadsheetId": spreadsheet.id});
    if let Some(table) = &table {
        response["tableRange"] = json!(range::written(&sheet, &table.rows, &table.columns));
    }
    if let Some(place) = spreadsheet.sheets.get_mut(searched.sheet) {
        *place = sheet;
    }
    response["updates"] = planned.write(spreadsheet, shown);
    Ok(response)
}

/// Rows that the values take.
fn longest(body: &Map<String, Value>) -> Result<u32, ApiError> {
    let lines = write::lines(body)?;
    let rows = if body.text("majorDimension") == Some("COLUMNS") {
        lines
            .iter()
            .map(|line| line.len())
            .max()
            .unwrap_or_default()
    } else {
        lines.len()
    };
    Ok(u32::try_from(rows).unwrap_or(u32::MAX))
}

/// The last table within an area: the cells around its last filled one, as far as they hang together (Sheets API,
/// "Append values").
fn table(sheet: &Sheet, area: &Area) -> Option<Area> {
    let inside =
        |(row, column): &&(u32, u32)| area.rows.contains(row) && area.columns.contains(column);
    let (row, column) = *sheet.cells.keys().filter(inside).max()?;
    let mut table = Area {
        sheet: area.sheet,
        rows: row..row + 1,
        columns: column..column + 1,
        open: false,
    };
    loop {
        let before = table.clone();
        for (row, column) in sheet.cells.keys() {
            let near =
                |at: u32, range: &std::ops::Range<u32>| at + 1 >= range.start && at <= range.end;
            if near(*row, &table.rows) && near(*column, &table.columns) {
                table.rows = table.rows.start.min(*row)..table.rows.end.max(row + 1);
                table.columns = table.columns.start.min(*column)..table.columns.end.max(column + 1);
            }
        }
        if table == before {
            return Some(table);
        }
    }
}

/// Moves what is below down.
fn insert_rows(sheet: &mut Sheet, from: u32, count: u32) -> Result<(), ApiError> {
    let moves = sheet.cells.keys().any(|(row, _)| *row >= from);
    let has_formulas = sheet
        .cells
        .values()
        .any(|cell| matches!(cell.entered, Entered::Formula(_)));
    if moves && has_formulas {
        return Err(ApiError::unimplemented(
            "The sandbox does not move cells of a sheet that has formulas.",
        ));
    }
    sheet.rows = sheet.rows.saturating_add(count);
    let cells = std::mem::take(&mut sheet.cells);
    sheet.cells = cells
        .into_iter()
        .map(|((row, column), cell)| {
            let row = if row >= from { row + count } else { row };
            ((row, column), cell)
        })
        .collect();
    Ok(())
}
