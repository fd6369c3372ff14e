//! Checks the token of an MCP session.

use std::sync::Arc;

use jiff::Timestamp;

use crate::{
    Error, ErrorKind, Result,
    caller::{Caller, McpSession},
    context::Context,
    digest::Digest,
    results::ResultOptions,
};

/// Whose session it is, and until when. It ends with its time and with the application's credential that made it, of which
/// it has no more connections and scopes than that has now.
pub(in crate::access) async fn check(
    context: &Context,
    digest: &Digest,
    now: Timestamp,
) -> Result<(Caller, Timestamp)> {
    let refused = || {
        Error::new(
            ErrorKind::Unauthenticated,
            "the token of the MCP session is unknown, expired or ended; make another session with POST /v1/mcp-sessions",
        )
    };
    let store = &context.store;
    let row = store.mcp_session_by_digest(digest).await?;
    let row = row.ok_or_else(refused)?.row;
    let mut results = ResultOptions::default();
    results.view = row.view();
    results.max_bytes = Some(row.max_bytes());
    let (mut scopes, mut of_maker, mut end) = (None, None, row.expires_at);
    let mut connections = row.connections;
    if let Some(client_id) = &row.client_id {
        let credential = store.app_credential(client_id).await?;
        let credential = credential.ok_or_else(refused)?.row;
        end = credential.expires_at.map_or(end, |ends| end.min(ends));
        scopes = Some(credential.scopes());
        connections = connections.and(&credential.connections);
        of_maker = credential.policy;
    }
    if end <= now {
        return Err(refused());
    }
    let session = McpSession {
        session_id: row.id,
        name: row.id.to_string(),
        client_id: row.client_id,
        identifier: row.identifier,
        connections,
        tools: row.tools,
        read_only: row.read_only,
        results,
        verify_url: row.verify_url,
        scopes,
        policies: [row.policy, of_maker],
    };
    Ok((Caller::McpSession(Arc::new(session)), end))
}
