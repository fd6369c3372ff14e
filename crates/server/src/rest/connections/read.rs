//! `GET /v1/connections/{connection_name}`.

use stead::core::resource::Connection;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn read(
    Acting(environment): Acting,
    Path(connection_name): Path<String>,
) -> Result<Json<Connection>> {
    Ok(Json(environment.connection(&connection_name).await?))
}
