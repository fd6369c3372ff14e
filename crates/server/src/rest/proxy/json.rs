use axum::extract::State;
use stead::core::{environment::Environment, resource::ProxyRequest};

use super::pass_on;
use crate::{authentication::Authenticated, extract::Json, problem::Answer};

/// `POST /v1/proxy`: answers with the product's response.
pub(in crate::rest) async fn json(
    _: Authenticated,
    State(environment): State<Environment>,
    Json(request): Json<ProxyRequest>,
) -> Answer {
    Ok(pass_on(environment.proxy(request).await?))
}
