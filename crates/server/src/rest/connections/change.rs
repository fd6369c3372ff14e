//! `PATCH /v1/connections/{connection_name}`: members that are absent stay.

use axum::extract::State;
use stead::core::{
    environment::Environment,
    resource::{Connection, ConnectionChange},
};

use crate::{
    extract::{Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn change(
    State(environment): State<Environment>,
    Path(connection_name): Path<String>,
    Json(change): Json<ConnectionChange>,
) -> Result<Json<Connection>> {
    let connection = environment
        .change_connection(&connection_name, change)
        .await?;
    Ok(Json(connection))
}
