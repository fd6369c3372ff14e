//! MCP sessions: bearer tokens of one user, for some tools of some connections.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;

use super::{AppCredential, NewAudit, NewEvent};
pub(crate) use crate::resource::mcp_session::McpSessionRow as McpSession;
use crate::{
    caller::{self, Caller},
    results::ResultOptions,
};

impl McpSession {
    /// Form and size of its results.
    pub(crate) fn results(&self) -> ResultOptions {
        ResultOptions::for_agents(self.view, self.max_bytes)
    }

    /// The caller with this session, and when the session expires. It expires with the credential of the application
    /// that created it, and is limited to that credential's current connections and scopes.
    pub(crate) fn caller(self, maker: Option<AppCredential>) -> (Caller, Timestamp) {
        let results = self.results();
        let (mut scopes, mut of_maker, mut end) = (None, None, self.expires_at);
        let mut connections = self.connections;
        if let Some(maker) = maker {
            end = maker.expires_at.map_or(end, |ends| end.min(ends));
            scopes = Some(maker.scopes());
            connections = connections.and(&maker.connections);
            of_maker = maker.policy;
        }
        let session = caller::McpSession {
            session_id: self.id,
            name: self.id.to_string(),
            client_id: self.client_id,
            identifier: self.identifier,
            connections,
            tools: self.tools,
            read_only: self.read_only,
            results,
            verify_url: self.verify_url,
            scopes,
            policies: [self.policy, of_maker],
        };
        (Caller::McpSession(Arc::new(session)), end)
    }

    /// An event about it.
    pub(crate) fn event(&self, name: &'static str) -> NewEvent {
        NewEvent::new(name, json!({ "session_id": self.id }))
    }

    /// An audit entry about it.
    pub(crate) fn audit(&self, action: &'static str) -> NewAudit {
        NewAudit::new(action, "mcp_session", self.id)
            .fact("read_only", self.read_only.to_string())
            .fact("expires_at", self.expires_at.to_string())
    }
}
