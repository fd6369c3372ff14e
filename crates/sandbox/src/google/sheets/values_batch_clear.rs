//! `spreadsheets.values.batchClear`: empties the cells of several ranges.

use axum::http::Method;
use serde_json::{Value, json};

use super::{WRITE, changeable, range, values_clear, write};
use crate::google::{ApiError, ApiMethod, Body, Call, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "sheets.spreadsheets.values.batchClear",
    verb: Method::POST,
    path: "v4/spreadsheets/{spreadsheetId}/values:batchClear",
    parameters: &[],
    scopes: WRITE,
    schema: "BatchClearValuesResponse",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let object = call.object()?;
    let body = Body::new(&object, "batch_clear_values_request", &["ranges"])?;
    let ranges = body.texts("ranges")?.unwrap_or_default();
    let id = call.variable(0);
    let spreadsheet = changeable(&state.world.files, call, id)?;
    let areas = ranges
        .iter()
        .map(|text| range::find(spreadsheet, text))
        .collect::<Result<Vec<_>, _>>()?;
    let spreadsheet = write::changed(state, call, id)?;
    let cleared: Vec<Value> = areas
        .iter()
        .map(|area| values_clear::clear(spreadsheet, area))
        .collect();
    Ok(json!({"spreadsheetId": id, "clearedRanges": cleared}))
}
