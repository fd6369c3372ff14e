//! `POST /v1/tools/{name}/execute`: runs a tool. The data is the product's own JSON text, set in as it came.

use axum::extract::State;
use stead::core::{
    environment::Environment,
    resource::{ExecuteRequest, Execution},
};

use crate::{
    extract::{IdempotencyKey, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn execute(
    State(environment): State<Environment>,
    Path(name): Path<String>,
    IdempotencyKey(idempotency_key): IdempotencyKey,
    Json(mut request): Json<ExecuteRequest>,
) -> Result<Json<Execution>> {
    request.idempotency_key = idempotency_key;
    Ok(Json(environment.execute(&name, request).await?))
}
