//! MCP sessions: bearer tokens of one user, for some tools of some connections.

use std::sync::Arc;

use serde_json::json;

use super::{AppCredential, NewAudit, NewEvent};
use crate::{
    caller::{self, Caller},
    results::ResultOptions,
};

pub(crate) use crate::resource::mcp_session::McpSessionRow as McpSession;

impl McpSession {
    /// Form and size of its results.
    pub(crate) fn results(&self) -> ResultOptions {
        ResultOptions::for_agents(self.view, self.max_bytes)
    }

    /// The caller with this session. It's limited to the current connections and scopes of the credential that created
    /// it.
    pub(crate) fn caller(self, credential: Option<AppCredential>) -> Caller {
        let results = self.results();
        let (mut scopes, mut policy, mut connections) = (None, None, self.connections);
        if let Some(credential) = credential {
            scopes = Some(credential.scopes());
            connections = connections.and(&credential.connections);
            policy = credential.policy;
        }
        Caller::McpSession(Arc::new(caller::McpSession {
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
            policies: [self.policy, policy],
        }))
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
