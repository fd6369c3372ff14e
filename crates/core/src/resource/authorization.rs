//! Authorizations: attempts to connect an account.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    identifier::{AuthorizationId, ConnectionName, Identifier},
    state::AuthorizationState,
};

/// Status of an attempt to connect an account. You can read it for 7 days after it ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "authorization_id": "auth_01a2037b04b8700bbcc9e5719410dcc5", "connection_name": "mail", "identifier": "user-1",
    "state": "verifying", "created_at": "2026-11-22T13:38:43Z",
    "expires_at": "2026-11-22T13:53:43Z",
}))]
#[non_exhaustive]
pub struct Authorization {
    /// ID.
    pub authorization_id: AuthorizationId,
    /// Name of the connection.
    pub connection_name: ConnectionName,
    /// Your application's ID of the user.
    pub identifier: Identifier,
    /// Its state.
    pub state: AuthorizationState,
    /// Why it failed: the product's code, such as `access_denied`, or Stead's, such as `client_rejected`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The product's message, without anything that looks like a credential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product_message: Option<String>,
    /// When the link was created.
    pub created_at: Timestamp,
    /// When the current step expires.
    pub expires_at: Timestamp,
}
