//! `values.append`: adds values below a table.

use serde_json::{Map, Value, json};

use super::{
    changeable,
    formula::{self, ValueOptions},
    range::{self, Area},
    values::{Planned, changed, is_by_columns, is_typed, lines, sheet_of},
};
use crate::google::{
    ApiError, Call, State,
    world::files::{Entered, Sheet, Spreadsheet},
};

pub(super) fn append(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let typed = is_typed(call.text("valueInputOption"))?;
    let (id, text) = (call.variable(0), call.variable(1));
    let spreadsheet = changeable(&state.world.files, call, id)?;
    let searched = range::find(spreadsheet, text)?;
    let mut after = spreadsheet.clone();
    let sheet = sheet_of(spreadsheet, &searched)?;
    let table = table(sheet, &searched);
    let start = match &table {
        Some(table) => (table.rows.end, table.columns.start),
        None => (searched.rows.start, searched.columns.start),
    };
    let (rows, columns) = size(&call.body)?;
    if call.text("insertDataOption") == Some("INSERT_ROWS") && table.is_some() {
        insert_rows(&mut after, searched.sheet, start.0, rows)?;
    }
    // The grid grows to fit the values.
    if let Some(sheet) = after.sheets.get_mut(searched.sheet) {
        sheet.rows = sheet.rows.max(start.0.saturating_add(rows));
        sheet.columns = sheet.columns.max(start.1.saturating_add(columns));
    }
    let target = Area {
        sheet: searched.sheet,
        rows: start.0..start.0 + 1,
        columns: start.1..start.1 + 1,
        open: true,
    };
    let planned = Planned::at(sheet_of(&after, &target)?, target, &call.body, typed)?;
    let options = ValueOptions::of(
        call,
        "responseValueRenderOption",
        "responseDateTimeRenderOption",
    );
    let shown = call.flag("includeValuesInResponse").then_some(options);
    let mut response = json!({"spreadsheetId": after.id});
    if let Some(table) = &table {
        response["tableRange"] = json!(range::written(sheet, &table.rows, &table.columns));
    }
    let spreadsheet = changed(state, call, id)?;
    *spreadsheet = after;
    response["updates"] = planned.write(spreadsheet, shown);
    Ok(response)
}

/// How many rows and columns the values need.
fn size(body: &Map<String, Value>) -> Result<(u32, u32), ApiError> {
    let lines = lines(body)?;
    let longest = lines.iter().map(|line| line.len()).max();
    let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let (outer, inner) = (count(lines.len()), count(longest.unwrap_or_default()));
    Ok(if is_by_columns(body)? {
        (inner, outer)
    } else {
        (outer, inner)
    })
}

/// The last table in an area: the last filled cell and all cells connected to it (Sheets API, "Append values").
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

/// Inserts rows, and updates the formulas and named ranges that refer to the cells below.
fn insert_rows(
    spreadsheet: &mut Spreadsheet,
    index: usize,
    from: u32,
    count: u32,
) -> Result<(), ApiError> {
    let before = spreadsheet.clone();
    for (home, sheet) in spreadsheet.sheets.iter_mut().enumerate() {
        for cell in sheet.cells.values_mut() {
            if let Entered::Formula(text) = &mut cell.entered {
                *text = formula::moved_down(&before, home, text, index, from, count);
            }
        }
    }
    let sheet = spreadsheet
        .sheets
        .get_mut(index)
        .ok_or_else(ApiError::not_found)?;
    let moved = |row: u32| if row >= from { row + count } else { row };
    sheet.rows = sheet.rows.saturating_add(count);
    sheet.cells = std::mem::take(&mut sheet.cells)
        .into_iter()
        .map(|((row, column), cell)| ((moved(row), column), cell))
        .collect();
    let id = sheet.id;
    let named = spreadsheet.named_ranges.iter_mut();
    for named in named.filter(|named| named.sheet == id) {
        let (start, end) = named.rows;
        named.rows = (moved(start), moved(end.saturating_sub(1)) + 1);
    }
    Ok(())
}
