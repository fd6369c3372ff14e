//! Revokes an MCP session.

use super::{is_seen, missing};
use crate::{
    Result,
    context::{Context, change::Change},
    identifier::McpSessionId,
    resource::DeleteMcpSession,
};

/// Revokes a session: immediately in this process, within 1 s in others.
pub(crate) async fn delete(context: &Context, delete: DeleteMcpSession) -> Result<()> {
    let session_id = delete.session_id.as_str();
    let id: McpSessionId = session_id.parse().map_err(|_| missing())?;
    let digest = context
        .change(
            "mcp_session.delete",
            || context.store.mcp_session(id),
            |found| {
                let found = found.filter(|found| is_seen(context, &found.row));
                let found = found.ok_or_else(missing)?;
                let change = Change::none()
                    .event(found.row.event("mcp_session.ended"))
                    .audit(found.row.audit("mcp_session.ended"))
                    .delete(found.row.id, found.version);
                Ok((change, found.row.token))
            },
        )
        .await?;
    context.memory.access_tokens.forget_token(&digest);
    Ok(())
}
