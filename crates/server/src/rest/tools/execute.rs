use axum::extract::State;
use http::StatusCode;
use stead::core::{environment::Environment, resource::ExecuteRequest};

use crate::{
    authentication::Authenticated,
    extract::{IdempotencyKey, Json, Path},
    problem::Answer,
    rest::json_with_capacity,
};

/// Bytes of an answer beside its data.
const ENVELOPE: usize = 256;

/// `POST /v1/tools/{name}/execute`: runs a tool. The data is the product's own JSON text, set in as it came.
pub(in crate::rest) async fn execute(
    _: Authenticated,
    State(environment): State<Environment>,
    Path(name): Path<String>,
    IdempotencyKey(idempotency_key): IdempotencyKey,
    Json(mut request): Json<ExecuteRequest>,
) -> Answer {
    request.idempotency_key = idempotency_key;
    let execution = environment.execute(&name, request).await?;
    json_with_capacity(
        StatusCode::OK,
        &execution,
        ENVELOPE + execution.data.get().len(),
    )
}
