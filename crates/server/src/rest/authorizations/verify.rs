use axum::extract::State;
use http::StatusCode;
use serde::Deserialize;
use stead::core::environment::Environment;

use crate::{
    authentication::Authenticated,
    extract::{Json, Path},
    problem::Answer,
    rest::json,
};

/// Who came back.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::rest) struct Verify {
    /// The application's id of the user who is signed in at the browser that came back.
    identifier: String,
}

/// `POST /v1/authorizations/{authorization_id}/verify`: the application confirms who came back; answers with the account.
pub(in crate::rest) async fn verify(
    _: Authenticated,
    State(environment): State<Environment>,
    Path(authorization_id): Path<String>,
    Json(Verify { identifier }): Json<Verify>,
) -> Answer {
    json(
        StatusCode::OK,
        &environment
            .verify_authorization(&authorization_id, &identifier)
            .await?,
    )
}
