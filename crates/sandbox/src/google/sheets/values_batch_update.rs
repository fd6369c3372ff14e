//! `spreadsheets.values.batchUpdate`: writes values into several ranges, all or none.

use std::collections::BTreeSet;

use axum::http::Method;
use serde_json::{Value, json};

use super::{
    WRITE, changeable,
    format_value::ValueOptions,
    write::{self, Planned},
};
use crate::google::{ApiError, ApiMethod, Body, Call, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "sheets.spreadsheets.values.batchUpdate",
    verb: Method::POST,
    path: "v4/spreadsheets/{spreadsheetId}/values:batchUpdate",
    parameters: &[],
    scopes: WRITE,
    schema: "BatchUpdateValuesResponse",
    run,
};

/// Members of `BatchUpdateValuesRequest` (discovery, `schemas`).
const MEMBERS: &[&str] = &[
    "data",
    "includeValuesInResponse",
    "responseDateTimeRenderOption",
    "responseValueRenderOption",
    "valueInputOption",
];

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let object = call.object()?;
    let body = Body::new(&object, "batch_update_values_request", MEMBERS)?;
    let typed = write::is_typed(body.text("valueInputOption")?)?;
    let options = ValueOptions::said(
        body.text("responseValueRenderOption")?,
        body.text("responseDateTimeRenderOption")?,
    )?;
    let shown = body.flag("includeValuesInResponse")?.unwrap_or_default();
    let id = call.variable(0);
    let spreadsheet = changeable(&state.world.files, call, id)?;
    body.objects("data", write::VALUE_RANGE)?;
    let ranges = object.get("data").and_then(Value::as_array);
    let planned = ranges
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .map(|range| {
            let text = range.get("range").and_then(Value::as_str);
            Planned::read(spreadsheet, text.unwrap_or_default(), range, typed)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let sheets: BTreeSet<usize> = planned.iter().map(|one| one.area.sheet).collect();
    let spreadsheet = write::changed(state, call, id)?;
    let responses: Vec<Value> = planned
        .into_iter()
        .map(|one| one.write(spreadsheet, shown.then_some(options)))
        .collect();
    let total = |name: &str| {
        let counts = responses.iter().filter_map(|one| one[name].as_u64());
        counts.sum::<u64>()
    };
    Ok(json!({
        "spreadsheetId": id,
        "totalUpdatedRows": total("updatedRows"),
        "totalUpdatedColumns": total("updatedColumns"),
        "totalUpdatedCells": total("updatedCells"),
        "totalUpdatedSheets": sheets.len(),
        "responses": responses,
    }))
}
