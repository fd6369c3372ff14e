//! `spreadsheets.values.update`: writes values into a range.

use axum::http::Method;
use serde_json::Value;

use super::{
    WRITE, changeable,
    format_value::{DATES, RENDERS, ValueOptions},
    write::{self, Planned},
};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "sheets.spreadsheets.values.update",
    verb: Method::PUT,
    path: "v4/spreadsheets/{spreadsheetId}/values/{range}",
    parameters: &[
        Parameter::one("includeValuesInResponse", Kind::Flag),
        Parameter::one("responseDateTimeRenderOption", DATES),
        Parameter::one("responseValueRenderOption", RENDERS),
        Parameter::one("valueInputOption", write::INPUTS),
    ],
    scopes: WRITE,
    schema: "UpdateValuesResponse",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let typed = write::is_typed(call.text("valueInputOption"))?;
    let id = call.variable(0);
    let spreadsheet = changeable(&state.world.files, call, id)?;
    let object = call.object()?;
    let planned = Planned::read(spreadsheet, call.variable(1), &object, typed)?;
    let options = ValueOptions::of(
        call,
        "responseValueRenderOption",
        "responseDateTimeRenderOption",
    );
    let shown = call.flag("includeValuesInResponse").then_some(options);
    Ok(planned.write(write::changed(state, call, id)?, shown))
}
