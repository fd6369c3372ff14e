use axum::extract::State;
use http::StatusCode;
use stead::core::environment::Environment;

use crate::{authentication::Authenticated, extract::Path, problem::Answer, rest::json};

/// `POST /v1/accounts/{connection_name}/{identifier}/resume`: ends the pause.
pub(in crate::rest) async fn resume(
    _: Authenticated,
    State(environment): State<Environment>,
    Path((connection_name, identifier)): Path<(String, String)>,
) -> Answer {
    json(
        StatusCode::OK,
        &environment
            .resume_account(&connection_name, &identifier)
            .await?,
    )
}
