//! `DELETE /v1/policies/{policy_name}`: one that no live credential and no MCP session names.

use http::StatusCode;

use crate::{
    extract::{Acting, Path},
    problem::Result,
};

pub(in crate::rest) async fn delete(
    Acting(environment): Acting,
    Path(name): Path<String>,
) -> Result<StatusCode> {
    environment.delete_policy(&name).await?;
    Ok(StatusCode::NO_CONTENT)
}
