//! Authorizations: attempts to connect an account.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Account;
use crate::{
    ErrorKind::{
        AuthorizationConsumed, AuthorizationExpired, AuthorizationNotFound, IdentifierMismatch,
        InvalidTransition, ProductAccountMismatch,
    },
    api::operations,
    scope::ScopeName::LinksCreate,
};
use crate::{
    identifier::{AuthorizationId, ConnectionName, Identifier},
    state::AuthorizationState,
};

operations! {
    /// Reads the status of an attempt to connect an account.
    read: ReadAuthorization { authorization_id } -> Authorization
        = GET "/v1/authorizations/{authorization_id}" {
            scope: Some(LinksCreate), errors: &[AuthorizationNotFound],
        }
    /// Confirms which user came back from a link.
    verify: VerifyAuthorization { authorization_id; body user: ReturnedUser } -> Account
        = POST "/v1/authorizations/{authorization_id}/verify" {
            scope: Some(LinksCreate), repeatable: true,
            errors: &[
                AuthorizationNotFound, AuthorizationExpired, AuthorizationConsumed, IdentifierMismatch,
                InvalidTransition, ProductAccountMismatch,
            ],
        }
}

/// The user who came back from a link.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Verify", example = json!({ "identifier": "user-1" }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ReturnedUser {
    /// Your application's ID of the user who is signed in at the browser that came back.
    pub identifier: String,
}

impl<S: Into<String>> From<S> for ReturnedUser {
    fn from(identifier: S) -> Self {
        Self {
            identifier: identifier.into(),
        }
    }
}

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
