//! `GET /api/v2/statements/{statementHandle}`.

use axum::http::StatusCode;

use super::record::Stage;
use crate::{
    response::Response,
    warehouse::{
        State,
        call::Call,
        errors::{ApiError, SqlError},
    },
};

/// What became of a statement, or a partition of its result.
pub(in crate::warehouse) fn status(
    state: &mut State,
    call: &Call<'_>,
    handle: &str,
) -> Result<Response, ApiError> {
    let now = state.now;
    let record = state.statements.find(handle, &call.caller.email, now);
    let record =
        record.ok_or_else(|| ApiError::not_found(format!("Statement {handle} not found.")))?;
    Ok(match record.stage(now) {
        Stage::Running => record.running(),
        Stage::TimedOut(seconds) => record.timed_out(StatusCode::UNPROCESSABLE_ENTITY, seconds),
        Stage::Failed(error) => record.failed(&error),
        Stage::Done => {
            let number = call
                .query
                .first("partition")
                .and_then(|number| number.parse().ok())
                .unwrap_or_default();
            match record.partition(number) {
                Some(response) => response,
                None => record.failed(&SqlError::new(
                    "391917",
                    "02000",
                    format!("The partition {number} does not exist."),
                )),
            }
        }
    })
}
