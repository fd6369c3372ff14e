//! `POST /v1/authorization-links`: responds 201 with the link, its expiry and the authorization's id.

use axum::extract::State;
use http::StatusCode;
use stead::core::{
    environment::Environment,
    resource::{AuthorizationLink, NewAuthorizationLink},
};

use crate::{extract::Json, problem::Result};

pub(in crate::rest) async fn create(
    State(environment): State<Environment>,
    Json(new): Json<NewAuthorizationLink>,
) -> Result<(StatusCode, Json<AuthorizationLink>)> {
    let link = environment.create_authorization_link(new).await?;
    Ok((StatusCode::CREATED, Json(link)))
}
