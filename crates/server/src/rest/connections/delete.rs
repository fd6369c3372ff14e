//! `DELETE /v1/connections/{connection_name}`: refused while accounts live under it.

use axum::extract::State;
use http::StatusCode;
use stead::core::environment::Environment;

use crate::{extract::Path, problem::Result};

pub(in crate::rest) async fn delete(
    State(environment): State<Environment>,
    Path(connection_name): Path<String>,
) -> Result<StatusCode> {
    environment.delete_connection(&connection_name).await?;
    Ok(StatusCode::NO_CONTENT)
}
