//! Reads MCP sessions.

use super::{is_seen, missing};
use crate::{
    Result,
    context::Context,
    domain,
    identifier::{Identifier, McpSessionId},
    resource::{ListMcpSessions, McpSession, Page, ReadMcpSession},
};

/// The valid sessions of a user or all, oldest first. A page can have fewer than `page_size` items even if more follow.
pub(crate) async fn list(context: &Context, list: ListMcpSessions) -> Result<Page<McpSession>> {
    let identifier = list.filter.identifier.as_deref();
    let of = identifier.map(Identifier::new).transpose()?;
    let (after, limit) = (list.page.after()?, list.page.limit());
    let rows = context.store.mcp_sessions(of.as_ref(), after, limit);
    let rows = rows.await?;
    let next = list.page.next(&rows, |row| row.id);
    let now = context.host.now();
    let live = rows
        .into_iter()
        .map(|found| found.row)
        .filter(|row| row.expires_at > now && is_seen(context, row));
    Ok(Page::new(
        live.map(domain::McpSession::shown).collect(),
        next,
    ))
}

/// A valid session.
pub(crate) async fn read(context: &Context, read: ReadMcpSession) -> Result<McpSession> {
    let session_id = read.session_id.as_str();
    let id: McpSessionId = session_id.parse().map_err(|_| missing())?;
    let found = context.store.mcp_session(id).await?;
    let row = found.map(|found| found.row);
    let live = row.filter(|row| row.expires_at > context.host.now() && is_seen(context, row));
    live.map(domain::McpSession::shown).ok_or_else(missing)
}
