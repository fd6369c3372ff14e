//! `POST /v1/proxy`: a raw request described in JSON; responds with the product's response.

use axum::{extract::State, response::Response};
use stead::core::{environment::Environment, resource::ProxyRequest};

use super::pass_on;
use crate::{extract::Json, problem::Result};

pub(in crate::rest) async fn json(
    State(environment): State<Environment>,
    Json(request): Json<ProxyRequest>,
) -> Result<Response> {
    Ok(pass_on(environment.proxy(request).await?))
}
