//! `POST /v1/app-credentials`: responds 201 with the credential and its secret, which is shown only here.

use axum::response::AppendHeaders;
use http::{HeaderName, StatusCode, header};
use stead::core::resource::{IssuedAppSecret, NewAppCredential};

use crate::{
    extract::{Acting, Json},
    problem::Result,
    state::address,
};

type Location = AppendHeaders<[(HeaderName, String); 1]>;

pub(in crate::rest) async fn create(
    Acting(environment): Acting,
    Json(new): Json<NewAppCredential>,
) -> Result<(StatusCode, Location, Json<IssuedAppSecret>)> {
    let issued = environment.create_app_credential(new).await?;
    let path = format!("/v1/app-credentials/{}", issued.credential.client_id);
    let location = AppendHeaders([(header::LOCATION, address(&environment, &path))]);
    Ok((StatusCode::CREATED, location, Json(issued)))
}
