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
    api::{operations, resource},
    identifier::{AuthorizationId, ConnectionName, Identifier},
    scope::ScopeName::LinksCreate,
    state::AuthorizationState,
};
#[cfg(feature = "platform")]
use crate::{
    digest::Digest,
    domain::{
        Extra,
        authorization::{EndpointSnapshot, PendingCredential},
    },
    identifier::{AccountId, ConnectionId},
    sealed::{Sealed, place},
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

resource! {
    /// Status of an attempt to connect an account. You can read it for 7 days after it ends.
    #[schemars(example = json!({
        "authorization_id": "auth_01a2037b04b8700bbcc9e5719410dcc5", "connection_name": "mail",
        "identifier": "user-1", "state": "verifying", "created_at": "2026-11-22T13:38:43Z",
        "expires_at": "2026-11-22T13:53:43Z",
    }))]
    pub struct Authorization, stored as AuthorizationRow, shown with (row, connection: ConnectionName) {
        /// ID.
        pub authorization_id: AuthorizationId = stored as id,
        /// Account that it is for.
        private account_id: AccountId,
        private connection_id: ConnectionId,
        /// Name of the connection.
        pub connection_name: ConnectionName = computed connection,
        /// Your application's ID of the user.
        pub identifier: Identifier = stored,
        /// Its state.
        pub state: AuthorizationState = stored,
        /// Why it failed: the product's code, such as `access_denied`, or Stead's, such as `client_rejected`.
        pub reason: Option<String> = stored,
        /// The product's message, without anything that looks like a credential.
        pub product_message: Option<String> = stored #[serde(default, skip_serializing_if = "Option::is_none")],
        /// Digest of the link's secret; unique.
        private link: Digest,
        /// Digest of the last OAuth state that was sent; unique.
        private oauth_state: Option<Digest>,
        /// Digest of the cookie of the browser that opened the link.
        private browser: Option<Digest>,
        /// PKCE verifier.
        private verifier: Option<Sealed<place::Verifier>>,
        /// The authorization server that the browser was sent to, which also gets the code.
        private endpoints: Option<EndpointSnapshot>,
        /// Epoch of the connection's client that sent the browser.
        #[serde(default)]
        private client_epoch: u64,
        /// Requested scopes.
        private scopes: Vec<String>,
        /// URL that the browser goes to after the callback.
        private verify_url: Option<String>,
        /// State to return to `verify_url`. Removed when the authorization ends.
        private app_state: Option<String>,
        /// Whether the user can replace the current account with a different account of the product.
        private allow_account_switch: bool,
        /// Tokens from the exchange, until the user is confirmed.
        #[serde(rename = "quarantine")]
        private pending: Option<PendingCredential>,
        /// When the link was created.
        pub created_at: Timestamp = stored,
        /// When the current step expires.
        pub expires_at: Timestamp = stored,
        /// Until when the link works, even if it's opened several times. `None` means as long as the current step.
        #[serde(default)]
        private opens_until: Option<Timestamp>,
        /// Whether the application confirms the user. `None` means as the environment is configured.
        #[serde(default)]
        private by_application: Option<bool>,
        /// Other members of the stored body, such as those of a newer version.
        #[serde(flatten)]
        private extra: Extra,
    }
}
