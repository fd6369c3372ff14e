use axum::extract::State;
use http::StatusCode;
use stead::core::environment::Environment;

use crate::{authentication::Authenticated, extract::Path, problem::Answer, rest::json};

/// `POST /v1/accounts/{connection_name}/{identifier}/suspend`: pauses the account; its credential is kept.
pub(in crate::rest) async fn suspend(
    _: Authenticated,
    State(environment): State<Environment>,
    Path((connection_name, identifier)): Path<(String, String)>,
) -> Answer {
    json(
        StatusCode::OK,
        &environment
            .suspend_account(&connection_name, &identifier)
            .await?,
    )
}
