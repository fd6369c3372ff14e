//! Reads, writes and clears the values of a range.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    changeable,
    formula::{self, ValueOptions},
    parse_input::{self, Change},
    range::{self, Area},
    readable,
};
use crate::google::{
    ApiError, Call, Members as _, State,
    world::files::{Sheet, Spreadsheet},
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

/// Shows a `ValueRange`. `values` is absent if the range is empty.
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
    let values = formula::values(spreadsheet, area, options, by_columns);
    if !values.is_empty() {
        shown["values"] = json!(values);
    }
    shown
}

/// `values.update`: writes values into a range.
pub(super) fn update(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let typed = is_typed(call.text("valueInputOption"))?;
    let id = call.variable(0);
    let spreadsheet = changeable(&state.world.files, call, id)?;
    let planned = Planned::read(spreadsheet, call.variable(1), &call.body, typed)?;
    let options = ValueOptions::of(
        call,
        "responseValueRenderOption",
        "responseDateTimeRenderOption",
    );
    let shown = call.flag("includeValuesInResponse").then_some(options);
    Ok(planned.write(changed(state, call, id)?, shown))
}

/// `values.clear`: empties the cells of a range.
pub(super) fn clear(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let id = call.variable(0);
    let spreadsheet = changeable(&state.world.files, call, id)?;
    let area = range::find(spreadsheet, call.variable(1))?;
    let spreadsheet = changed(state, call, id)?;
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

/// Changes by row and column.
pub(super) type Changes = Vec<((u32, u32), Change)>;

/// Checked values that are ready to be written to a range.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) area: Area,
    changes: Changes,
    by_columns: bool,
}

/// Whether values are read as if a user had typed them. The parameter is required.
pub(super) fn is_typed(option: Option<&str>) -> Result<bool, ApiError> {
    match option {
        Some("RAW") => Ok(false),
        Some("USER_ENTERED") => Ok(true),
        _ => Err(ApiError::invalid(
            "'valueInputOption' is required but not specified",
        )),
    }
}

/// The spreadsheet to change. Its file changes too.
pub(super) fn changed<'state>(
    state: &'state mut State,
    call: &Call,
    id: &str,
) -> Result<&'state mut Spreadsheet, ApiError> {
    let now = state.now;
    let files = &mut state.world.files;
    files
        .change_spreadsheet(id, &call.user, now)
        .ok_or_else(ApiError::not_found)
}

impl Planned {
    /// Reads a `ValueRange` for a range in A1 notation.
    pub(super) fn read(
        spreadsheet: &Spreadsheet,
        text: &str,
        object: &Map<String, Value>,
        typed: bool,
    ) -> Result<Self, ApiError> {
        let area = range::find(spreadsheet, text)?;
        check_same_range(spreadsheet, object, &area)?;
        let sheet = sheet_of(spreadsheet, &area)?;
        Self::at(sheet, area, object, typed)
    }

    /// Reads a `ValueRange` for an area of a sheet.
    pub(super) fn at(
        sheet: &Sheet,
        area: Area,
        object: &Map<String, Value>,
        typed: bool,
    ) -> Result<Self, ApiError> {
        let lines = lines(object)?;
        let by_columns = is_by_columns(object)?;
        let changes = changes(sheet, &area, &lines, by_columns, typed)?;
        Ok(Self {
            area,
            changes,
            by_columns,
        })
    }

    /// Writes the values. Returns an `UpdateValuesResponse`, with the values if the call asks for them.
    pub(super) fn write(self, spreadsheet: &mut Spreadsheet, asked: Option<ValueOptions>) -> Value {
        let written = rectangle(&self.area, &self.changes);
        let mut response = summary(spreadsheet, &written, &self.changes);
        apply(spreadsheet, self.area.sheet, self.changes);
        if let Some(options) = asked {
            let whole = if self.area.open { &written } else { &self.area };
            response["updatedData"] = shown(spreadsheet, whole, options, self.by_columns);
        }
        response
    }
}

/// The sheet of an area.
pub(super) fn sheet_of<'a>(
    spreadsheet: &'a Spreadsheet,
    area: &Area,
) -> Result<&'a Sheet, ApiError> {
    spreadsheet
        .sheets
        .get(area.sheet)
        .ok_or_else(ApiError::not_found)
}

pub(super) fn is_by_columns(body: &Map<String, Value>) -> Result<bool, ApiError> {
    match body.text("majorDimension") {
        None | Some("ROWS" | "DIMENSION_UNSPECIFIED") => Ok(false),
        Some("COLUMNS") => Ok(true),
        Some(other) => Err(ApiError::unbound(
            "data.major_dimension",
            format!(
                "Invalid value at 'data.major_dimension' (type.googleapis.com/google.apps.sheets.v4.Dimension), \"{other}\""
            ),
        )),
    }
}

/// Checks the range in the body. It may be absent, but otherwise must be the same (values.update, `range`).
fn check_same_range(
    spreadsheet: &Spreadsheet,
    body: &Map<String, Value>,
    area: &Area,
) -> Result<(), ApiError> {
    let Some(text) = body.text("range") else {
        return Ok(());
    };
    match range::parse(spreadsheet, 0, text) {
        Ok(other) if other == *area => Ok(()),
        Ok(_) => Err(ApiError::invalid(format!(
            "The range in the body, {text}, is not the range in the address."
        ))),
        Err(unfit) => Err(range::error(text, &unfit)),
    }
}

/// The inner lists of `values`.
pub(super) fn lines(object: &Map<String, Value>) -> Result<Vec<&Vec<Value>>, ApiError> {
    let wrong = |index: &str, value: &Value| {
        let message = format!(
            "Invalid value at 'data.{index}' (type.googleapis.com/google.protobuf.ListValue), {value}"
        );
        ApiError::unbound(&format!("data.{index}"), message)
    };
    match object.get("values") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(lines)) => lines
            .iter()
            .enumerate()
            .map(|(index, line)| match line {
                Value::Array(values) => Ok(values),
                other => Err(wrong(&format!("values[{index}]"), other)),
            })
            .collect(),
        Some(other) => Err(wrong("values", other)),
    }
}

/// The changes for each cell. If one value is wrong or doesn't fit, all are refused.
fn changes(
    sheet: &Sheet,
    area: &Area,
    lines: &[&Vec<Value>],
    by_columns: bool,
    typed: bool,
) -> Result<Changes, ApiError> {
    let mut changes = Changes::new();
    for (outer, line) in (0_u32..).zip(lines) {
        for (inner, value) in (0_u32..).zip(*line) {
            let (down, right) = if by_columns {
                (inner, outer)
            } else {
                (outer, inner)
            };
            let (row, column) = (area.rows.start + down, area.columns.start + right);
            check_within_grid(sheet, area, row, column)?;
            let before = sheet.cells.get(&(row, column));
            let index = format!("values[{outer}][{inner}]");
            changes.push((
                (row, column),
                parse_input::read(value, typed, before, &index)?,
            ));
        }
    }
    Ok(changes)
}

fn check_within_grid(sheet: &Sheet, area: &Area, row: u32, column: u32) -> Result<(), ApiError> {
    if row >= sheet.rows || column >= sheet.columns {
        let cell = range::written(sheet, &(row..row + 1), &(column..column + 1));
        let (rows, columns) = (sheet.rows, sheet.columns);
        return Err(range::error(
            &cell,
            &range::RangeError::Outside { rows, columns },
        ));
    }
    if area.open || (area.rows.contains(&row) && area.columns.contains(&column)) {
        return Ok(());
    }
    let within = range::written(sheet, &area.rows, &area.columns);
    let tried = if area.columns.contains(&column) {
        format!("row [{}]", row + 1)
    } else {
        format!("column [{}]", range::letters(column))
    };
    Err(ApiError::invalid(format!(
        "Requested writing within range [{within}], but tried writing to {tried}"
    )))
}

/// The rectangle from the start of the range that contains all values.
fn rectangle(area: &Area, changes: &Changes) -> Area {
    let (rows, columns) = changes.iter().fold(
        (area.rows.start + 1, area.columns.start + 1),
        |(rows, columns), ((row, column), _)| (rows.max(row + 1), columns.max(column + 1)),
    );
    Area {
        sheet: area.sheet,
        rows: area.rows.start..rows,
        columns: area.columns.start..columns,
        open: area.open,
    }
}

/// Shows an `UpdateValuesResponse`. It counts what changed, and omits counts that are zero.
fn summary(spreadsheet: &Spreadsheet, written: &Area, changes: &Changes) -> Value {
    let touched: BTreeSet<(u32, u32)> = changes
        .iter()
        .filter(|(_, change)| *change != Change::Nothing)
        .map(|(index, _)| *index)
        .collect();
    let rows: BTreeSet<u32> = touched.iter().map(|(row, _)| *row).collect();
    let columns: BTreeSet<u32> = touched.iter().map(|(_, column)| *column).collect();
    let sheet = spreadsheet.sheets.get(written.sheet);
    let mut summary = json!({
        "spreadsheetId": spreadsheet.id,
        "updatedRange": sheet.map(|sheet| range::written(sheet, &written.rows, &written.columns)),
    });
    if !touched.is_empty() {
        summary["updatedRows"] = json!(rows.len());
        summary["updatedColumns"] = json!(columns.len());
        summary["updatedCells"] = json!(touched.len());
    }
    summary
}

fn apply(spreadsheet: &mut Spreadsheet, sheet: usize, changes: Changes) {
    let Some(sheet) = spreadsheet.sheets.get_mut(sheet) else {
        return;
    };
    for (index, change) in changes {
        match change {
            Change::Nothing => {}
            Change::Clear => {
                sheet.cells.remove(&index);
            }
            Change::Put(cell) => {
                sheet.cells.insert(index, cell);
            }
        }
    }
}
