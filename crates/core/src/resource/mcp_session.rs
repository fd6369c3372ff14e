//! Sessions of the Model Context Protocol.

#[cfg(feature = "platform")]
use std::collections::BTreeSet;

use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_derive::Setters;

use super::{Page, secret};
use crate::{
    ErrorKind::{NotFound, UnknownConnection},
    api::{Paging, operations, query, resource},
    identifier::{Identifier, McpSessionId},
    results::View,
    scope::ScopeName::McpSessionsManage,
};
#[cfg(feature = "platform")]
use crate::{caller::Connections, digest::Digest};

operations! {
    /// Lists active MCP sessions.
    list: ListMcpSessions { ; query filter: McpSessionFilter, query page: Paging } -> Page<McpSession>
        = GET "/v1/mcp-sessions" { scope: Some(McpSessionsManage) }
    /// Creates an MCP session for one user and shows its token once.
    create: NewMcpSession(body) -> IssuedMcpSession
        = POST "/v1/mcp-sessions" {
            status: 201, scope: Some(McpSessionsManage), errors: &[UnknownConnection], repeatable: true,
            audit: &["mcp_session.created"],
        }
    /// Reads an MCP session.
    read: ReadMcpSession { session_id } -> McpSession
        = GET "/v1/mcp-sessions/{session_id}" { scope: Some(McpSessionsManage), errors: &[NotFound] }
    /// Revokes an MCP session.
    delete: DeleteMcpSession { session_id } -> ()
        = DELETE "/v1/mcp-sessions/{session_id}" {
            status: 204, scope: Some(McpSessionsManage), errors: &[NotFound], audit: &["mcp_session.ended"],
        }
}

query! {
    /// Which MCP sessions to list.
    pub struct McpSessionFilter {
        /// Only sessions of this user.
        pub identifier: Option<String>,
    }
}

impl McpSessionFilter {
    /// Only sessions of this user, if there is one.
    pub fn of(identifier: Option<impl Into<String>>) -> Self {
        Self {
            identifier: identifier.map(Into::into),
        }
    }
}

/// A request for an MCP session.
///
/// ```
/// # use stead_core::resource::NewMcpSession;
/// let new = NewMcpSession::new("user-1").connections(["mail"]).read_only(true);
/// assert!(new.read_only);
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[schemars(example = json!({ "identifier": "user-1", "connections": ["mail"], "read_only": true,
    "verify_url": "https://app.example.com/connected", "expires_in": 3600 }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewMcpSession {
    /// Your application's ID of the user. Every call of the session acts as this user.
    pub identifier: String,
    /// Names of the connections that it can use. Defaults to all, including those created later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<Vec<String>>,
    /// Names of the tools that it can call. Defaults to all tools of the connections' products.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Set of the tools that the agent's list shows: `core`, `read`, `all`, `search`, a product, or one of the
    /// operator's own. The agent finds the other tools by a search. Defaults to `core`, or to `all` with `tools`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_set: Option<String>,
    /// Whether the list has each tool's output schema, which more than doubles its size.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub output_schemas: bool,
    /// Whether it has only read-only tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// Name of a policy for its calls, in addition to those of the environment and the application's credential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Form of its results. Defaults to `readable`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// Maximum size of a result's data in bytes. Defaults to 40000. Results say what was omitted and how to read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_bytes: Option<u64>,
    /// URL that the user's browser returns to when the session asks the user to authorize, like `verify_url` of an
    /// authorization link. Defaults to the operator's setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify_url: Option<String>,
    /// Lifetime in seconds: 60 to 86400. Defaults to 3600.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u32>,
}

resource! {
    /// An active session.
    #[derive(Eq)]
    #[schemars(example = json!({
        "session_id": "mcp_01a2037b052070199760437deb0e58e8", "identifier": "user-1", "connections": ["mail"],
        "tool_set": "core", "output_schemas": false, "read_only": true, "view": "readable", "max_bytes": 40000, "verify_url": "https://app.example.com/connected",
        "client_id": "app_01a2037b035070009412e81b2b61a1aa", "created_at": "2026-11-22T13:38:43Z",
        "expires_at": "2026-11-22T14:38:43Z",
    }))]
    pub struct McpSession, stored as McpSessionRow, shown with (row) {
        /// ID.
        pub session_id: McpSessionId = stored as id,
        /// Digest of the token.
        private token: Digest,
        /// Your application's ID of the user.
        pub identifier: Identifier = stored,
        /// Names of the connections that it can use. Absent if it can use all.
        pub connections: Option<Vec<String>> = computed row.connections.to_texts(),
        #[serde(default)]
        private connections: Connections,
        /// Names of the tools that it can call. Absent if it can call all.
        pub tools: Option<Vec<String>> = computed row.tools.clone().map(Vec::from_iter),
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private tools: Option<BTreeSet<String>>,
        /// Set of the tools that the agent's list shows.
        pub tool_set: String = computed row.tool_set().to_owned(),
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private tool_set: Option<String>,
        /// Whether the list has each tool's output schema.
        pub output_schemas: bool = computed row.lists_output_schemas(),
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        private output_schemas: bool,
        /// Whether it has only read-only tools.
        pub read_only: bool = stored,
        /// Name of the policy for its calls. Absent if it has none.
        pub policy: Option<String> = stored #[serde(default, skip_serializing_if = "Option::is_none")],
        /// Form of its results.
        pub view: View = computed row.results().view,
        /// Maximum size of a result's data in bytes.
        pub max_bytes: (Option<u64>) = computed row.results().max_bytes,
        /// Form and size of its results, if its creator chose them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private view: Option<View>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private max_bytes: Option<u64>,
        /// URL that the user's browser returns to.
        pub verify_url: Option<String> = stored #[serde(default, skip_serializing_if = "Option::is_none")],
        /// Client ID of the application that created it. Absent if the operator created it.
        pub client_id: Option<String> = stored #[serde(default, skip_serializing_if = "Option::is_none")],
        /// When it was created.
        pub created_at: Timestamp = stored,
        /// When it expires.
        pub expires_at: Timestamp = stored,
    }
}

/// A new session with its token, which is shown only once.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "session_id": "mcp_01a2037b052070199760437deb0e58e8", "identifier": "user-1", "connections": ["mail"],
    "tool_set": "core", "output_schemas": false, "read_only": true, "view": "readable", "max_bytes": 40000,
    "verify_url": "https://app.example.com/connected", "client_id": "app_01a2037b035070009412e81b2b61a1aa",
    "created_at": "2026-11-22T13:38:43Z",
    "expires_at": "2026-11-22T14:38:43Z", "url": "https://stead.example.com/mcp", "token": "stead_mcp_…",
}))]
#[non_exhaustive]
pub struct IssuedMcpSession {
    /// The session.
    #[serde(flatten)]
    pub session: McpSession,
    /// URL of the MCP server.
    pub url: String,
    /// The session's bearer token. Stead stores only its digest.
    #[serde(serialize_with = "secret::exposed")]
    #[schemars(with = "String")]
    pub token: SecretString,
}
