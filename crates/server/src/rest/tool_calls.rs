//! `POST /v1/tool-calls`: runs a model's calls, and returns the results in its own format.

use stead_core::agent::{ToolCallResults, ToolCalls};

use crate::{
    extract::{Acting, IdempotencyKey, Json},
    openapi::Draft,
    problem::Result,
    timeout,
};

/// The time limit applies to all of its calls together.
pub(super) fn describe(draft: &mut Draft<'_>) {
    draft.takes_idempotency_key();
    draft.takes::<ToolCalls>();
    draft.gives::<ToolCallResults>(200);
    draft.takes_header(timeout::NAME, timeout::DESCRIPTION, &timeout::schema());
}

pub(super) async fn run(
    Acting(environment): Acting,
    IdempotencyKey(idempotency_key): IdempotencyKey,
    Json(mut request): Json<ToolCalls>,
) -> Result<Json<ToolCallResults>> {
    request.idempotency_key = idempotency_key;
    Ok(Json(environment.tool_calls(request).await?))
}
