//! `POST /api/v2/statements/{statementHandle}/cancel`.

use axum::http::StatusCode;
use serde_json::json;

use super::record::Stage;
use crate::{
    response::Response,
    warehouse::{State, call::Call, errors::ApiError},
};

/// Cancels a statement that runs.
pub(in crate::warehouse) fn cancel(
    state: &mut State,
    call: &Call<'_>,
    handle: &str,
) -> Result<Response, ApiError> {
    if !call.request.body.is_empty() {
        return Err(ApiError::payload("A cancellation has no body."));
    }
    let now = state.now;
    let Some(record) = state.statements.find(handle, &call.caller.email, now) else {
        let body = json!({"code": "000709", "sqlState": "02000", "message": format!("Statement {handle} not found"), "statementHandle": handle});
        return Ok(Response::json(
            StatusCode::UNPROCESSABLE_ENTITY,
            &body,
            false,
        ));
    };
    if record.stage(now) != Stage::Running {
        return Ok(record.not_cancelled());
    }
    record.cancelled = true;
    Ok(record.cancelled())
}
