//! Checks the token of an MCP session.

use jiff::Timestamp;

use crate::{Error, ErrorKind, Result, caller::Caller, context::Context, digest::Digest};

/// The caller of a session, and when the session expires.
pub(in crate::access) async fn check(
    context: &Context,
    digest: &Digest,
    now: Timestamp,
) -> Result<(Caller, Timestamp)> {
    let refused = || {
        Error::new(
            ErrorKind::Unauthenticated,
            "the token of the MCP session is unknown, expired or revoked; create a session with POST /v1/mcp-sessions",
        )
    };
    let store = &context.store;
    let row = store.mcp_session_by_digest(digest).await?;
    let row = row.ok_or_else(refused)?.row;
    let maker = match &row.client_id {
        Some(client_id) => {
            let credential = store.app_credential(client_id).await?;
            Some(credential.ok_or_else(refused)?.row)
        }
        None => None,
    };
    let (caller, end) = row.caller(maker);
    match end > now {
        true => Ok((caller, end)),
        false => Err(refused()),
    }
}
