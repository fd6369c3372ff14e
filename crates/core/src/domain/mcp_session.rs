//! MCP sessions: bearer tokens of one user, for some tools of some connections.

use std::sync::Arc;

use serde_json::json;

use super::{AppCredential, NewAudit, NewEvent};
use crate::{
    caller::{self, Caller},
    catalogue::ToolSet,
    results::ResultOptions,
};

pub(crate) use crate::resource::mcp_session::McpSessionRow as McpSession;

impl McpSession {
    /// Form and size of its results.
    pub(crate) fn results(&self) -> ResultOptions {
        ResultOptions::for_agents(self.view, self.max_bytes)
    }

    /// The set of tools in its list. A session of an earlier version has none, and lists all tools.
    pub(crate) fn tool_set(&self) -> &str {
        self.tool_set.as_deref().unwrap_or(ToolSet::ALL)
    }

    /// Whether its list has output schemas. In earlier versions, every list had them.
    pub(crate) fn lists_output_schemas(&self) -> bool {
        self.output_schemas || self.tool_set.is_none()
    }

    /// The caller with this session. It's limited to the current connections and scopes of the credential that created
    /// it.
    pub(crate) fn caller(self, credential: Option<AppCredential>) -> Caller {
        let (results, output_schemas) = (self.results(), self.lists_output_schemas());
        let tool_set = self.tool_set().to_owned();
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
            tool_set,
            output_schemas,
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
