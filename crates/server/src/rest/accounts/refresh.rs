use axum::extract::State;
use http::StatusCode;
use stead::core::environment::Environment;

use crate::{authentication::Authenticated, extract::Path, problem::Answer, rest::json};

/// `POST /v1/accounts/{connection_name}/{identifier}/refresh`: renews the access token now.
pub(in crate::rest) async fn refresh(
    _: Authenticated,
    State(environment): State<Environment>,
    Path((connection_name, identifier)): Path<(String, String)>,
) -> Answer {
    json(
        StatusCode::OK,
        &environment
            .refresh_account(&connection_name, &identifier)
            .await?,
    )
}
