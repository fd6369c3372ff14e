//! `DELETE /v1/mcp-sessions/{session_id}`: ends a session before its time.

use http::StatusCode;

use crate::{
    extract::{Acting, Path},
    problem::Result,
};

pub(in crate::rest) async fn delete(
    Acting(environment): Acting,
    Path(session_id): Path<String>,
) -> Result<StatusCode> {
    environment.delete_mcp_session(&session_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
