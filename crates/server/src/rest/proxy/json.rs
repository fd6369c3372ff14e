//! `POST /v1/proxy`: a raw request described in JSON. The response is the product's.

use axum::response::Response;
use stead_core::resource::ProxyRequest;

use super::pass_on;
use crate::{
    extract::{Acting, IdempotencyKey, Json},
    problem::Result,
};

pub(in crate::rest) async fn json(
    Acting(environment): Acting,
    IdempotencyKey(idempotency_key): IdempotencyKey,
    Json(mut request): Json<ProxyRequest>,
) -> Result<Response> {
    request.idempotency_key = idempotency_key;
    Ok(pass_on(environment.proxy(request).await?))
}
