//! Bearer tokens of one user's accounts.

use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;

use crate::{
    identifier::{AccountTokenId, ConnectionName, Identifier},
    state::TokenAccess,
};

/// What an account token is made for: one connection, or several of different products.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(example = NewAccountToken::new("mail", "user-1", TokenAccess::Read))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewAccountToken {
    /// Connection. Leave it out if you name several in `connections`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub connection_name: String,
    /// Several connections, each of another product. At the proxy host, the path of a request tells which one it's for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<String>,
    /// The application's id of the user.
    pub identifier: String,
    /// What it may do: `read`, or `write`, which includes reading.
    pub access: TokenAccess,
    /// Its life in seconds: 60 to 86400, 3600 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u32>,
}

impl NewAccountToken {
    /// A token for this user of this connection, for an hour.
    pub fn new(
        connection_name: impl Into<String>,
        identifier: impl Into<String>,
        access: TokenAccess,
    ) -> Self {
        Self {
            connection_name: connection_name.into(),
            connections: Vec::new(),
            identifier: identifier.into(),
            access,
            expires_in: None,
        }
    }

    /// Also for the user's account at this connection.
    #[must_use]
    pub fn and(mut self, connection_name: impl Into<String>) -> Self {
        self.connections.push(connection_name.into());
        self
    }
}

/// An account token with its secret, which is shown once.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "token": "stead_account_…", "token_id": "tok_01a2037b052070199760437deb0e58e8", "connection_name": "mail",
    "connections": ["mail"], "identifier": "user-1", "access": "read", "expires_at": "2026-11-22T14:38:43Z",
    "proxy_url": "https://proxy.example.com",
}))]
#[non_exhaustive]
pub struct IssuedAccountToken {
    /// The bearer token; only its digest is kept.
    #[serde(serialize_with = "exposed")]
    #[schemars(with = "String")]
    pub token: SecretString,
    /// Its id.
    pub token_id: AccountTokenId,
    /// Connection, the first one if it's for several.
    pub connection_name: ConnectionName,
    /// All its connections.
    #[serde(default)]
    pub connections: Vec<ConnectionName>,
    /// The application's id of the user.
    pub identifier: Identifier,
    /// What it may do.
    pub access: TokenAccess,
    /// When it ends.
    pub expires_at: Timestamp,
    /// Address at which the token says whose account is meant, and paths are the product's own; absent where this
    /// environment has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_url: Option<String>,
}

fn exposed<S: Serializer>(token: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(token.expose_secret())
}

/// An account token that is good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "token_id": "tok_01a2037b052070199760437deb0e58e8", "connection_name": "mail", "connections": ["mail"],
    "identifier": "user-1", "access": "read", "client_id": "app_01a2037b035070009412e81b2b61a1aa", "created_at": "2026-11-22T13:38:43Z",
    "expires_at": "2026-11-22T14:38:43Z",
}))]
#[non_exhaustive]
pub struct AccountToken {
    /// Its id.
    pub token_id: AccountTokenId,
    /// Connection, the first one if it's for several.
    pub connection_name: ConnectionName,
    /// All its connections.
    #[serde(default)]
    pub connections: Vec<ConnectionName>,
    /// The application's id of the user.
    pub identifier: Identifier,
    /// What it may do.
    pub access: TokenAccess,
    /// Client id of the application that made it; absent where the operator did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
}
