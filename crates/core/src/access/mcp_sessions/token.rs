//! The token of an MCP session as an agent presents it.

use jiff::Timestamp;

use crate::{
    Result,
    access::token::Token,
    caller::Caller,
    context::Context,
    digest::Digest,
    domain::{AppCredential, McpSession},
    store::{Records, Versioned},
};

impl Token for McpSession {
    type Opened = Caller;

    const REFUSED: &'static str = "the token of the MCP session is unknown, expired or revoked; create a session with POST /v1/mcp-sessions";

    async fn find(store: &Records, digest: &Digest) -> Result<Option<Versioned<Self>>> {
        store.mcp_session_by_digest(digest).await
    }

    fn client_id(&self) -> Option<&str> {
        self.client_id.as_deref()
    }

    fn expires_at(&self) -> Timestamp {
        self.expires_at
    }

    async fn open(
        found: Versioned<Self>,
        _: &Context,
        credential: Option<AppCredential>,
    ) -> Result<Option<(Caller, Option<Timestamp>)>> {
        Ok(Some((found.row.caller(credential), None)))
    }
}
