//! Requests that a connection has to allow.

use stead_core::product::{
    Guard, GuardedRequest, SentRequest,
    sent::{Unclear, text},
};

use crate::classify;

/// Changes of objects and rights. The tool `warehouse_execute_query` is meant for them.
pub(crate) const GUARDS: &[Guard] = &[Guard::new(
    "change_schema",
    "Creates, changes or drops tables, users and other objects, or changes rights.",
    &[
        GuardedRequest::new("POST", "/api/v2/statements").when_body(by_statement),
        GuardedRequest::new("POST PUT PATCH DELETE", "/api/v2/**").when(by_path),
    ],
)
.spares_tools()];

/// Whether a submitted statement does that.
fn by_statement(request: &SentRequest<'_>) -> Result<bool, Unclear> {
    if request.body.is_some_and(<[u8]>::is_empty) {
        return Ok(false);
    }
    let body = request.json().ok_or(Unclear)?;
    let sql = text(&body, "statement")?.ok_or(Unclear)?;
    classify::changes_schema(sql)
}

/// Whether a request outside the SQL API does that. All of them do, except those to Cortex and queries of its services.
fn by_path(request: &SentRequest<'_>) -> Result<bool, Unclear> {
    let path = request.lenient_segments();
    let part = path.iter().skip_while(|segment| *segment != "v2").nth(1);
    let is_other = part.is_some_and(|part| part == "statements" || part == "cortex");
    let is_query =
        request.method == "POST" && path.last().is_some_and(|last| last.ends_with(":query"));
    Ok(!is_other && !is_query)
}
