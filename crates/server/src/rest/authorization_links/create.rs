//! `POST /v1/authorization-links`: responds 201 with the link, its expiry and the authorization's id.

use http::StatusCode;
use stead::core::resource::{AuthorizationLink, NewAuthorizationLink};

use crate::{
    extract::{Acting, Json},
    problem::Result,
};

pub(in crate::rest) async fn create(
    Acting(environment): Acting,
    Json(new): Json<NewAuthorizationLink>,
) -> Result<(StatusCode, Json<AuthorizationLink>)> {
    let link = environment.create_authorization_link(new).await?;
    Ok((StatusCode::CREATED, Json(link)))
}
