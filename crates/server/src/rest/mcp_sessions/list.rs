//! `GET /v1/mcp-sessions?identifier=&page_token=&page_size=`.

use stead::core::resource::{McpSession, Page};

use crate::{
    extract::{Acting, Json, Query},
    openapi::{Parameter, text},
    problem::Result,
};

pub(in crate::rest) const FILTER: &[Parameter] =
    &[text("identifier", "Only sessions of this user.")];

pub(in crate::rest) async fn list(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<Page<McpSession>>> {
    let identifier = query.text("identifier")?;
    let page = query.paging()?;
    query.end()?;
    let sessions =
        environment.mcp_sessions(identifier.as_deref(), page.token.as_deref(), page.size);
    Ok(Json(sessions.await?))
}
