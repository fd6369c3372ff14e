//! Sessions of the Model Context Protocol: bearer tokens of one user, for some tools of some connections.

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
    /// Id; primary key.
    pub(crate) id: McpSessionId,
    /// Digest of the token.
    pub(crate) token: Digest,
    /// The application's id of the user.
    pub(crate) identifier: Identifier,
    /// Connections that it may use.
    #[serde(default)]
    pub(crate) connections: Connections,
    /// Tools that it may call, by name; every one where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tools: Option<BTreeSet<String>>,
    /// Whether it only reads.
    pub(crate) read_only: bool,
    /// Policy for its calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) policy: Option<String>,
    /// Form and size of its results, where its maker chose them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) view: Option<View>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_bytes: Option<u64>,
    /// Where the user's browser goes after the product, for the application to confirm who it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) verify_url: Option<String>,
    /// Who made it: a client id of the application, or the operator where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) client_id: Option<String>,
    /// When it was made.
    pub(crate) created_at: Timestamp,
    /// When it ends.
    pub(crate) expires_at: Timestamp,
}

impl McpSession {
    /// Form and size of its results.
    pub(crate) fn results(&self) -> ResultOptions {
        ResultOptions::for_agents(self.view, self.max_bytes)
    }

    /// Who calls with it, and until when. It ends with the application's credential that made it, of which it has no more
    /// connections and scopes than that has now.
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

    /// An entry about it for the audit log.
    pub(crate) fn audit(&self, action: &'static str) -> NewAudit {
        NewAudit::new(action, "mcp_session", self.id)
            .fact("read_only", self.read_only.to_string())
            .fact("expires_at", self.expires_at.to_string())
    }
}
