//! `GET /v1/connections/{connection_name}`.

use axum::extract::State;
use stead::core::{environment::Environment, resource::Connection};

use crate::{
    extract::{Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn read(
    State(environment): State<Environment>,
    Path(connection_name): Path<String>,
) -> Result<Json<Connection>> {
    Ok(Json(environment.connection(&connection_name).await?))
}
