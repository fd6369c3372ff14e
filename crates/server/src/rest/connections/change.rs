use axum::extract::State;
use http::StatusCode;
use stead::core::{environment::Environment, resource::ConnectionChange};

use crate::{
    authentication::Authenticated,
    extract::{Json, Path},
    problem::Answer,
    rest::json,
};

/// `PATCH /v1/connections/{connection_name}`: members that are absent stay.
pub(in crate::rest) async fn change(
    _: Authenticated,
    State(environment): State<Environment>,
    Path(connection_name): Path<String>,
    Json(change): Json<ConnectionChange>,
) -> Answer {
    json(
        StatusCode::OK,
        &environment
            .change_connection(&connection_name, change)
            .await?,
    )
}
