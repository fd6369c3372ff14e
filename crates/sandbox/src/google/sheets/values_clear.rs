//! `spreadsheets.values.clear`: empties the cells of a range.

use axum::http::Method;
use serde_json::{Value, json};

use super::{WRITE, changeable, range, write};
use crate::google::{ApiError, ApiMethod, Body, Call, State, world::files::Spreadsheet};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "sheets.spreadsheets.values.clear",
    verb: Method::POST,
    path: "v4/spreadsheets/{spreadsheetId}/values/{range}:clear",
    parameters: &[],
    scopes: WRITE,
    schema: "ClearValuesResponse",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    Body::new(&call.object()?, "clear_values_request", &[])?;
    let id = call.variable(0);
    let spreadsheet = changeable(&state.world.files, call, id)?;
    let area = range::find(spreadsheet, call.variable(1))?;
    let cleared = clear(write::changed(state, call, id)?, &area);
    Ok(json!({"spreadsheetId": id, "clearedRange": cleared}))
}

/// Empties an area; its name.
pub(super) fn clear(spreadsheet: &mut Spreadsheet, area: &range::Area) -> Value {
    let Some(sheet) = spreadsheet.sheets.get_mut(area.sheet) else {
        return Value::Null;
    };
    sheet
        .cells
        .retain(|(row, column), _| !(area.rows.contains(row) && area.columns.contains(column)));
    json!(range::written(sheet, &area.rows, &area.columns))
}
