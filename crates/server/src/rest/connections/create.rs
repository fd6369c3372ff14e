//! `POST /v1/connections`: responds 201 with the connection and its redirect URI.

use axum::response::AppendHeaders;
use http::{HeaderName, StatusCode, header};
use stead::core::resource::{Connection, NewConnection};

use crate::{
    extract::{Acting, Json},
    problem::Result,
    state::address,
};

type Location = AppendHeaders<[(HeaderName, String); 1]>;

pub(in crate::rest) async fn create(
    Acting(environment): Acting,
    Json(new): Json<NewConnection>,
) -> Result<(StatusCode, Location, Json<Connection>)> {
    let connection = environment.create_connection(new).await?;
    let path = format!("/v1/connections/{}", connection.connection_name);
    let location = AppendHeaders([(header::LOCATION, address(&environment, &path))]);
    Ok((StatusCode::CREATED, location, Json(connection)))
}
