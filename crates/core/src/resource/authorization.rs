//! Authorizations: attempts to connect an account.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    identifier::{AuthorizationId, ConnectionName, Identifier},
    state::AuthorizationState,
};

/// How far an attempt to connect an account has come. It is kept for 7 days after its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "authorization_id": "auth_01a2037b04b8700bbcc9e5719410dcc5", "connection_name": "mail", "identifier": "user-1",
    "state": "verifying", "created_at": "2026-11-22T13:38:43Z",
    "expires_at": "2026-11-22T13:53:43Z",
}))]
#[non_exhaustive]
pub struct Authorization {
    /// Id.
    pub authorization_id: AuthorizationId,
    /// Connection.
    pub connection_name: ConnectionName,
    /// The application's id of the user.
    pub identifier: Identifier,
    /// How far it has come.
    pub state: AuthorizationState,
    /// Why it ended without success: a code of the product, such as `access_denied`, or one of ours, such as
    /// `client_rejected`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the product said about it, without anything that looks like a credential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product_message: Option<String>,
    /// When the link was made.
    pub created_at: Timestamp,
    /// When the present step ends.
    pub expires_at: Timestamp,
}
