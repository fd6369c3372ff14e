//! `PATCH /v1/connections/{connection_name}`: members that are absent stay.

use stead::core::resource::{Connection, ConnectionChange};

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn change(
    Acting(environment): Acting,
    Path(connection_name): Path<String>,
    Json(change): Json<ConnectionChange>,
) -> Result<Json<Connection>> {
    let connection = environment
        .change_connection(&connection_name, change)
        .await?;
    Ok(Json(connection))
}
