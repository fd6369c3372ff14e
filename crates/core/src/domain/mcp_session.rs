//! MCP sessions: bearer tokens of one user, for some tools of some connections.

use std::{collections::BTreeSet, sync::Arc};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{AppCredential, NewAudit, NewEvent};
use crate::{
    caller::{self, Caller, Connections},
    digest::Digest,
    identifier::{Identifier, McpSessionId},
    results::{ResultOptions, View},
};

/// A session of one user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct McpSession {
    /// ID; primary key.
    pub(crate) id: McpSessionId,
    /// Digest of the token.
    pub(crate) token: Digest,
    /// The application's ID of the user.
    pub(crate) identifier: Identifier,
    /// Connections that it can use.
    #[serde(default)]
    pub(crate) connections: Connections,
    /// Names of the tools that it can call. `None` means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tools: Option<BTreeSet<String>>,
    /// Whether it's read-only.
    pub(crate) read_only: bool,
    /// Policy for its calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) policy: Option<String>,
    /// Form and size of its results, if its creator chose them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) view: Option<View>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_bytes: Option<u64>,
    /// URL that the user's browser goes to after the product, so that the application can confirm the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) verify_url: Option<String>,
    /// Client ID of the application that created it. `None` for the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) client_id: Option<String>,
    /// When it was created.
    pub(crate) created_at: Timestamp,
    /// When it expires.
    pub(crate) expires_at: Timestamp,
}

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
