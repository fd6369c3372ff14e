//! `GET /v1/mcp-sessions/{session_id}`.

use stead::core::resource::McpSession;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn read(
    Acting(environment): Acting,
    Path(session_id): Path<String>,
) -> Result<Json<McpSession>> {
    Ok(Json(environment.mcp_session(&session_id).await?))
}
