use axum::extract::State;
use http::StatusCode;
use stead::core::environment::Environment;

use crate::{authentication::Authenticated, extract::Path, problem::Answer, rest::json};

/// `GET /v1/accounts/{connection_name}/{identifier}`.
pub(in crate::rest) async fn read(
    _: Authenticated,
    State(environment): State<Environment>,
    Path((connection_name, identifier)): Path<(String, String)>,
) -> Answer {
    json(
        StatusCode::OK,
        &environment.account(&connection_name, &identifier).await?,
    )
}
