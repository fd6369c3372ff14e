//! `DELETE /v1/connections/{connection_name}`: refused while accounts live under it.

use http::StatusCode;

use crate::{
    extract::{Acting, Path},
    problem::Result,
};

pub(in crate::rest) async fn delete(
    Acting(environment): Acting,
    Path(connection_name): Path<String>,
) -> Result<StatusCode> {
    environment.delete_connection(&connection_name).await?;
    Ok(StatusCode::NO_CONTENT)
}
