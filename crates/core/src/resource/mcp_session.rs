//! Sessions of the Model Context Protocol.

use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;

use crate::{
    identifier::{Identifier, McpSessionId},
    results::View,
};

/// What a session is made for.
///
/// ```
/// # use stead_core::resource::NewMcpSession;
/// let new = NewMcpSession::new("user-1").connections(["mail"]).read_only();
/// assert!(new.read_only);
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({ "identifier": "user-1", "connections": ["mail"], "read_only": true,
    "verify_url": "https://app.example.com/connected", "expires_in": 3600 }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewMcpSession {
    /// The application's id of the user for whom every call of the session is made.
    pub identifier: String,
    /// Connections that it may use, by name; every one where absent, also those that are made later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<Vec<String>>,
    /// Tools that it may call, by name; every one of the connections' products where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Whether it has only tools that read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// Policy for its calls, by name, besides those of the environment and of the application's credential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Form of its results: `readable` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// Bytes of a result's data at most: 40000 when absent. What is left out is said, and how to get it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_bytes: Option<u64>,
    /// Where the user's browser goes after the product, when the session asks the user to authorize: as of an authorization
    /// link. The operator's default if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify_url: Option<String>,
    /// Its life in seconds: 60 to 86400, 3600 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u32>,
}

impl NewMcpSession {
    /// A session of this user, for an hour, with every tool of every connection.
    pub fn new(identifier: impl Into<String>) -> Self {
        Self {
            identifier: identifier.into(),
            ..Self::default()
        }
    }
    /// Only these connections.
    #[must_use]
    pub fn connections<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.connections = Some(names.into_iter().map(Into::into).collect());
        self
    }
    /// Only these tools.
    #[must_use]
    pub fn tools<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }
    /// Only tools that read.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }
    /// The policy for its calls, by name.
    #[must_use]
    pub fn policy(mut self, name: impl Into<String>) -> Self {
        self.policy = Some(name.into());
        self
    }
    /// Form of its results.
    #[must_use]
    pub fn view(mut self, view: View) -> Self {
        self.view = Some(view);
        self
    }
    /// Bytes of a result's data at most.
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }
    /// Where the user's browser goes after the product.
    #[must_use]
    pub fn verify_url(mut self, url: impl Into<String>) -> Self {
        self.verify_url = Some(url.into());
        self
    }
    /// Its life in seconds.
    #[must_use]
    pub fn expires_in(mut self, seconds: u32) -> Self {
        self.expires_in = Some(seconds);
        self
    }
}

/// A session that lives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "session_id": "mcp_01a2037b052070199760437deb0e58e8", "identifier": "user-1", "connections": ["mail"],
    "read_only": true, "view": "readable", "max_bytes": 40000, "verify_url": "https://app.example.com/connected", "client_id": "app_01a2037b035070009412e81b2b61a1aa", "created_at": "2026-11-22T13:38:43Z",
    "expires_at": "2026-11-22T14:38:43Z",
}))]
#[non_exhaustive]
pub struct McpSession {
    /// Its id.
    pub session_id: McpSessionId,
    /// The application's id of the user.
    pub identifier: Identifier,
    /// Connections that it may use; absent where it may use every one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<Vec<String>>,
    /// Tools that it may call; absent where it may call every one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Whether it has only tools that read.
    pub read_only: bool,
    /// Policy for its calls; absent where it names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Form of its results.
    pub view: View,
    /// Bytes of a result's data at most.
    pub max_bytes: Option<u64>,
    /// Where the user's browser goes after the product.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify_url: Option<String>,
    /// Client id of the application that made it; absent where the operator did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// A session that was just made, with its token, which is shown once.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "session_id": "mcp_01a2037b052070199760437deb0e58e8", "identifier": "user-1", "connections": ["mail"],
    "read_only": true, "view": "readable", "max_bytes": 40000, "verify_url": "https://app.example.com/connected", "client_id": "app_01a2037b035070009412e81b2b61a1aa", "created_at": "2026-11-22T13:38:43Z",
    "expires_at": "2026-11-22T14:38:43Z", "url": "https://stead.example.com/mcp", "token": "stead_mcp_…",
}))]
#[non_exhaustive]
pub struct IssuedMcpSession {
    /// The session.
    #[serde(flatten)]
    pub session: McpSession,
    /// Address of the MCP server.
    pub url: String,
    /// The bearer token for it; only its digest is kept.
    #[serde(serialize_with = "exposed")]
    #[schemars(with = "String")]
    pub token: SecretString,
}

fn exposed<S: Serializer>(token: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(token.expose_secret())
}
