//! `POST /v1/tools/{name}/execute`: runs a tool. Its data is the product's JSON text, inserted unchanged.

use axum::response::AppendHeaders;
use http::HeaderName;
use stead_core::resource::{ExecuteRequest, Execution};

use crate::{
    extract::{Acting, IdempotencyKey, Json, Path},
    openapi::Draft,
    problem::{EXECUTION_ID, Result},
    replayed::Replayed,
};

type Executed = (
    AppendHeaders<[(HeaderName, String); 1]>,
    Replayed,
    Json<Execution>,
);

/// The document's description of the route.
pub(in crate::rest) fn describe(draft: &mut Draft<'_>) {
    draft.takes_idempotency_key();
    draft.takes::<ExecuteRequest>();
    draft.gives::<Execution>(200);
}

pub(in crate::rest) async fn execute(
    Acting(environment): Acting,
    Path(name): Path<String>,
    IdempotencyKey(idempotency_key): IdempotencyKey,
    Json(mut request): Json<ExecuteRequest>,
) -> Result<Executed> {
    request.idempotency_key = idempotency_key;
    let execution = environment.execute(&name, request).await?;
    let id = AppendHeaders([(EXECUTION_ID, execution.execution_id.to_string())]);
    Ok((id, Replayed(execution.replayed), Json(execution)))
}
