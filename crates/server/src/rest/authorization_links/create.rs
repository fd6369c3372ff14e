use axum::extract::State;
use http::StatusCode;
use stead::core::{environment::Environment, resource::NewAuthorizationLink};

use crate::{authentication::Authenticated, extract::Json, problem::Answer, rest::json};

/// `POST /v1/authorization-links`: answers 201 with the link, its end and the authorization's id.
pub(in crate::rest) async fn create(
    _: Authenticated,
    State(environment): State<Environment>,
    Json(new): Json<NewAuthorizationLink>,
) -> Answer {
    json(
        StatusCode::CREATED,
        &environment.create_authorization_link(new).await?,
    )
}
