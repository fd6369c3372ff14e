use axum::extract::State;
use http::{HeaderValue, StatusCode, header};
use stead::core::{environment::Environment, resource::NewConnection};

use crate::{address, authentication::Authenticated, extract::Json, problem::Answer, rest::json};

/// `POST /v1/connections`: answers 201 with the connection and its redirect URI.
pub(in crate::rest) async fn create(
    _: Authenticated,
    State(environment): State<Environment>,
    Json(new): Json<NewConnection>,
) -> Answer {
    let connection = environment.create_connection(new).await?;
    let mut response = json(StatusCode::CREATED, &connection)?;
    let location = address(
        &environment,
        &format!("/v1/connections/{}", connection.connection_name),
    );
    if let Ok(location) = HeaderValue::try_from(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}
