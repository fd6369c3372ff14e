//! Users' accounts, and the links by which users connect them.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    error::AuthorizationRequest,
    identifier::{AccountId, AuthorizationId, ConnectionName, Identifier},
    state::{AccountHealth, AccountReason, AccountState},
};

/// A user's account at a product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "id": "acct_01a203a97b097013814da9fb3974a7bd", "connection_name": "workspace", "product": "workspace",
    "identifier": "user-1", "state": "active", "health": "ok", "granted_scopes": [], "missing_scopes": [],
    "product_user": "Analytical Engine Works", "created_at": "2026-11-22T14:29:28Z", "updated_at": "2026-11-22T14:29:28Z",
}))]
#[non_exhaustive]
pub struct Account {
    /// Id.
    pub id: AccountId,
    /// Connection.
    pub connection_name: ConnectionName,
    /// Product.
    pub product: String,
    /// The application's id of the user.
    pub identifier: Identifier,
    /// State.
    pub state: AccountState,
    /// Why it needs a new authorization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<AccountReason>,
    /// Whether its credential serves.
    pub health: AccountHealth,
    /// Scopes that the user granted.
    pub granted_scopes: Vec<String>,
    /// Scopes that the connection asks for and the user did not grant.
    pub missing_scopes: Vec<String>,
    /// Who the user is at the product, as the product says (such as an address).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product_user: Option<String>,
    /// When the present access token ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_expires_at: Option<Timestamp>,
    /// When the user has to authorize again, if the product says so: its refresh token expires, or it gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reauthorize_by: Option<Timestamp>,
    /// When the account was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Which accounts are listed; each member that is given narrows the list.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct AccountFilter {
    /// Only this connection's.
    pub connection_name: Option<String>,
    /// Only this product's.
    pub product: Option<String>,
    /// Only this user's.
    pub identifier: Option<String>,
    /// Only users whose identifier begins so. Within a connection they come by identifier.
    pub identifier_prefix: Option<String>,
    /// Only those in this state.
    pub state: Option<AccountState>,
}

/// What an authorization link is made for.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "connection_name": "mail", "identifier": "user-1", "verify_url": "https://app.example.com/connected",
    "state": "settings-page",
}))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewAuthorizationLink {
    /// Connection.
    pub connection_name: String,
    /// The application's id of the user.
    pub identifier: String,
    /// Where the user's browser comes back to; the application then confirms who it was. The operator's default if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify_url: Option<String>,
    /// Handed back to `verify_url` unchanged, at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Scopes to ask for instead of the connection's permissions. What the user has granted is asked for in any case,
    /// since a link that leaves a scope out takes it away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// Life of the link in seconds: 60 to 86400, 600 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u32>,
    /// Whether another account of the product may take the place of the present one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_account_switch: Option<bool>,
}

impl From<AuthorizationRequest> for NewAuthorizationLink {
    fn from(request: AuthorizationRequest) -> Self {
        Self {
            connection_name: request.connection_name,
            identifier: request.identifier,
            scopes: (!request.scopes.is_empty()).then_some(request.scopes),
            ..Self::default()
        }
    }
}

impl NewAuthorizationLink {
    /// A link for this user of this connection, with the connection's own permissions.
    pub fn new(connection_name: impl Into<String>, identifier: impl Into<String>) -> Self {
        Self {
            connection_name: connection_name.into(),
            identifier: identifier.into(),
            ..Self::default()
        }
    }
}

/// A link for a user to open.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "link": "https://stead.example.com/connect/…", "expires_at": "2026-11-22T13:48:43Z",
    "authorization_id": "auth_01a2037b04b8700bbcc9e5719410dcc5",
}))]
#[non_exhaustive]
pub struct AuthorizationLink {
    /// The link.
    pub link: String,
    /// When it ends.
    pub expires_at: Timestamp,
    /// Id of the authorization.
    pub authorization_id: AuthorizationId,
}

impl std::fmt::Debug for AuthorizationLink {
    /// Without the link: anyone who has it can open it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthorizationLink")
            .field("authorization_id", &self.authorization_id)
            .finish_non_exhaustive()
    }
}

impl AuthorizationLink {
    /// A link with its end and authorization.
    pub fn new(link: String, expires_at: Timestamp, authorization_id: AuthorizationId) -> Self {
        Self {
            link,
            expires_at,
            authorization_id,
        }
    }
}

/// What ends with an account besides its tokens here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Disconnection {
    /// Whether the product is asked to end the grant too.
    pub revoke_at_product: bool,
    /// Whether everything goes that names the user.
    pub erase: bool,
    /// Whether nothing is done, and only said what would end.
    pub dry_run: bool,
}

impl Disconnection {
    /// The tokens only.
    pub fn new() -> Self {
        Self::default()
    }
    /// Ends the grant at the product too, or not.
    #[must_use]
    pub fn revoke_at_product(mut self, revoke: bool) -> Self {
        self.revoke_at_product = revoke;
        self
    }
    /// Removes everything that names the user, or not.
    #[must_use]
    pub fn erase(mut self, erase: bool) -> Self {
        self.erase = erase;
        self
    }
    /// Does nothing, and says what would end; or not.
    #[must_use]
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }
}

/// What a disconnection did. The account's tokens are gone from the store in any case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({ "revocation": "none" }))]
#[non_exhaustive]
pub struct Disconnected {
    /// What happens to the grant at the product.
    pub revocation: Revocation,
    /// Whether the product ends with it what the user has granted to other connections of the same application.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ends_other_grants: bool,
    /// The accounts that end with it: they need a new authorization once the product has ended the grant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_ends: Vec<AlsoEnded>,
    /// How far the erasure is, where it was asked for. The account itself is gone in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erasure: Option<ErasureProgress>,
}

/// How far the erasure of a user is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErasureProgress {
    /// Nothing that is stored names the user.
    Complete,
    /// Older records still name the user; maintenance goes through them by itself. Asked again, it says how far it is.
    Pending,
}

/// Another account that ends with a grant: the same user of the product, through a client of the same project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AlsoEnded {
    /// Connection.
    pub connection_name: ConnectionName,
    /// The application's id of the user.
    pub identifier: Identifier,
}

/// What happens to a grant at the product when its account is disconnected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Revocation {
    /// It was not asked for: the grant stays until the user or the product ends it.
    None,
    /// The product is asked to end it, again where it does not respond; an event says how that went.
    Requested,
    /// It cannot be ended from here: the product has no endpoint for that, or no token is left.
    NotPossible,
}
