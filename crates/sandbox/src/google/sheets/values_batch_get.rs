//! `spreadsheets.values.batchGet`: the values of several ranges.

use axum::http::Method;
use serde_json::{Value, json};

use super::{
    READ,
    format_value::{DATES, RENDERS, ValueOptions},
    range, readable, values_get,
};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "sheets.spreadsheets.values.batchGet",
    verb: Method::GET,
    path: "v4/spreadsheets/{spreadsheetId}/values:batchGet",
    parameters: &[
        Parameter::one("dateTimeRenderOption", DATES),
        Parameter::one(
            "majorDimension",
            Kind::OneOf(&["DIMENSION_UNSPECIFIED", "ROWS", "COLUMNS"]),
        ),
        Parameter::many("ranges", Kind::Text),
        Parameter::one("valueRenderOption", RENDERS),
    ],
    scopes: READ,
    schema: "BatchGetValuesResponse",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let (spreadsheet, _) = readable(&state.world.files, call, call.variable(0))?;
    let options = ValueOptions::of(call, "valueRenderOption", "dateTimeRenderOption");
    let by_columns = call.text("majorDimension") == Some("COLUMNS");
    let shown = call
        .query
        .all("ranges")
        .map(|text| {
            let area = range::find(spreadsheet, text)?;
            Ok(values_get::shown(spreadsheet, &area, options, by_columns))
        })
        .collect::<Result<Vec<Value>, ApiError>>()?;
    let mut response = json!({"spreadsheetId": spreadsheet.id});
    if !shown.is_empty() {
        response["valueRanges"] = json!(shown);
    }
    Ok(response)
}
