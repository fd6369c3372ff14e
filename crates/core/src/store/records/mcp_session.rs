//! Rows of MCP sessions.

use super::{Found, Listed, Records, integer, text};
use crate::{
    Result,
    digest::Digest,
    domain::McpSession,
    identifier::{Identifier, McpSessionId},
    store::{Index, List, Record, Table, Value},
};

pub(super) static MCP_SESSION: Table = Table {
    name: "mcp_session",
    columns: &[
        text("id"),
        text("token"),
        text("identifier"),
        integer("expires_at"),
    ],
    key: Index::unique(&["id"]),
    indexes: &[
        MCP_SESSION_BY_TOKEN,
        MCP_SESSIONS_OF_USER,
        MCP_SESSIONS_BY_END,
    ],
    sealed: false,
};
const MCP_SESSION_BY_TOKEN: Index = Index::unique(&["token"]);
const MCP_SESSIONS_OF_USER: Index = Index::of(&["identifier", "id"]);
pub(super) const MCP_SESSIONS_BY_END: Index = Index::of(&["expires_at"]);

impl Record for McpSession {
    const TABLE: &'static Table = &MCP_SESSION;
    fn values(&self) -> Vec<Value> {
        vec![
            Value::text(self.id),
            Value::text(self.token.as_str()),
            Value::text(self.identifier.as_str()),
            Value::moment(self.expires_at),
        ]
    }
}

impl Records {
    /// A session by ID.
    pub(crate) async fn mcp_session(&self, id: McpSessionId) -> Found<McpSession> {
        self.get(id).await
    }
    /// A session by the digest of its token.
    pub(crate) async fn mcp_session_by_digest(&self, token: &Digest) -> Found<McpSession> {
        self.find(MCP_SESSION_BY_TOKEN, &[Value::text(token.as_str())])
            .await
    }
    /// Sessions of a user or all, by ID, after `after`.
    pub(crate) async fn mcp_sessions(
        &self,
        of: Option<&Identifier>,
        after: Option<McpSessionId>,
        limit: u32,
    ) -> Listed<McpSession> {
        let list = match of {
            None => List::new(&MCP_SESSION, MCP_SESSION.key),
            Some(of) => {
                List::new(&MCP_SESSION, MCP_SESSIONS_OF_USER).prefix([Value::text(of.as_str())])
            }
        };
        let after = after.map(|id| vec![Value::text(id)]);
        self.list(list.after(after).limit(limit)).await
    }
    /// Deletes some sessions of a user. Returns how many.
    pub(crate) async fn remove_mcp_sessions_of(&self, of: &Identifier, limit: u32) -> Result<u64> {
        let list = List::new(&MCP_SESSION, MCP_SESSIONS_OF_USER);
        let of_user = list.prefix([Value::text(of.as_str())]).limit(limit);
        self.0.prune(&of_user).await
    }
}
