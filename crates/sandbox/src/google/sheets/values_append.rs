//! `spreadsheets.values.append`: writes values below a table.

use axum::http::Method;
use serde_json::{Value, json};

use super::{
    WRITE, changeable,
    format_value::{DATES, RENDERS, ValueOptions},
    range::{self, Area},
    write::{self, Planned},
};
use crate::google::{
    ApiError, ApiMethod, Body, Call, Kind, Parameter, State,
    world::files::{Entered, Sheet},
};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "sheets.spreadsheets.values.append",
    verb: Method::POST,
    path: "v4/spreadsheets/{spreadsheetId}/values/{range}:append",
    parameters: &[
        Parameter::one("includeValuesInResponse", Kind::Flag),
        Parameter::one(
            "insertDataOption",
            Kind::OneOf(&["OVERWRITE", "INSERT_ROWS"]),
        ),
        Parameter::one("responseDateTimeRenderOption", DATES),
        Parameter::one("responseValueRenderOption", RENDERS),
        Parameter::one("valueInputOption", write::INPUTS),
    ],
    scopes: WRITE,
    schema: "AppendValuesResponse",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let typed = write::is_typed(call.text("valueInputOption"))?;
    let (id, text) = (call.variable(0), call.variable(1));
    let spreadsheet = changeable(&state.world.files, call, id)?;
    let searched = range::find(spreadsheet, text)?;
    let object = call.object()?;
    let body = Body::new(&object, "data", write::VALUE_RANGE)?;
    let mut sheet = write::sheet_of(spreadsheet, &searched)?.clone();
    let table = table(&sheet, &searched);
    let start = match &table {
        Some(table) => (table.rows.end, table.columns.start),
        None => (searched.rows.start, searched.columns.start),
    };
    let longest = longest(&object, &body)?;
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
    let planned = Planned::at(&sheet, target, &object, &body, typed)?;
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
fn longest(object: &serde_json::Map<String, Value>, body: &Body<'_>) -> Result<u32, ApiError> {
    let lines = write::lines(object)?;
    let rows = if body.text("majorDimension")? == Some("COLUMNS") {
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
