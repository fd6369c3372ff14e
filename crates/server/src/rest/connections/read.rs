use axum::extract::State;
use http::StatusCode;
use stead::core::environment::Environment;

use crate::{authentication::Authenticated, extract::Path, problem::Answer, rest::json};

/// `GET /v1/connections/{connection_name}`.
pub(in crate::rest) async fn read(
    _: Authenticated,
    State(environment): State<Environment>,
    Path(connection_name): Path<String>,
) -> Answer {
    json(
        StatusCode::OK,
        &environment.connection(&connection_name).await?,
    )
}
