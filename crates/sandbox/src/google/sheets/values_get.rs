//! `spreadsheets.values.get`: the values of a range.

use axum::http::Method;
use serde_json::{Value, json};

use super::{
    READ,
    format_value::{self, DATES, RENDERS, ValueOptions},
    range, readable,
};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State, world::files::Spreadsheet};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "sheets.spreadsheets.values.get",
    verb: Method::GET,
    path: "v4/spreadsheets/{spreadsheetId}/values/{range}",
    parameters: &[
        Parameter::one("dateTimeRenderOption", DATES),
        Parameter::one(
            "majorDimension",
            Kind::OneOf(&["DIMENSION_UNSPECIFIED", "ROWS", "COLUMNS"]),
        ),
        Parameter::one("valueRenderOption", RENDERS),
    ],
    scopes: READ,
    schema: "ValueRange",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
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
    area: &range::Area,
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
