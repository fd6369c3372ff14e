//! Users' accounts, and the links that users open to connect them.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_derive::Setters;

use super::Page;
use crate::{
    ErrorKind::{AccountSuspended, ConnectionNotReady, InvalidTransition, UnknownConnection},
    api::{Paging, operations, query, resource},
    error::AuthorizationRequest,
    identifier::{AccountId, AuthorizationId, ConnectionName, Identifier},
    scope::ScopeName::{AccountsManage, AccountsRead, LinksCreate},
    state::{AccountHealth, AccountReason, AccountState},
};
#[cfg(feature = "platform")]
use crate::{
    digest::Digest,
    domain::{Connection, Extra, Lease, Subject, refresh::RefreshState},
    identifier::ConnectionId,
};

operations! {
    /// Creates a link that a user opens to connect an account.
    create: NewAuthorizationLink(body) -> AuthorizationLink
        = POST "/v1/authorization-links" {
            status: 201, scope: Some(LinksCreate), errors: &[UnknownConnection, ConnectionNotReady, AccountSuspended],
            repeatable: true,
        }
    /// Lists accounts.
    list: ListAccounts { ; query filter: AccountFilter, query page: Paging } -> Page<Account>
        = GET "/v1/accounts" { scope: Some(AccountsRead), errors: &[UnknownConnection] }
    /// Reads an account.
    read: ReadAccount { connection_name, identifier } -> Account
        = GET "/v1/accounts/{connection_name}/{identifier}" { scope: Some(AccountsRead) }
    /// Disconnects an account and destroys its tokens.
    disconnect: DisconnectAccount { connection_name, identifier; query how: Disconnection } -> Disconnected
        = DELETE "/v1/accounts/{connection_name}/{identifier}" {
            scope: Some(AccountsManage), errors: &[InvalidTransition],
            audit: &["account.disconnected", "account.erased"],
        }
    /// Suspends an account: its calls stop, and its tokens stay.
    suspend: SuspendAccount { connection_name, identifier } -> Account
        = POST "/v1/accounts/{connection_name}/{identifier}/suspend" {
            scope: Some(AccountsManage), errors: &[InvalidTransition], repeatable: true,
            audit: &["account.suspended"],
        }
    /// Resumes a suspended account.
    resume: ResumeAccount { connection_name, identifier } -> Account
        = POST "/v1/accounts/{connection_name}/{identifier}/resume" {
            scope: Some(AccountsManage), errors: &[InvalidTransition], repeatable: true, audit: &["account.resumed"],
        }
    /// Refreshes an account's access token now.
    refresh: RefreshAccount { connection_name, identifier } -> Account
        = POST "/v1/accounts/{connection_name}/{identifier}/refresh" {
            scope: Some(AccountsManage), errors: &[InvalidTransition], calls: true, repeatable: true,
        }
}

resource! {
    /// A user's account at a product.
    #[schemars(example = json!({
        "id": "acct_01a203a97b097013814da9fb3974a7bd", "connection_name": "workspace", "product": "workspace",
        "identifier": "user-1", "state": "active", "health": "ok", "granted_scopes": [], "missing_scopes": [],
        "product_user": "Analytical Engine Works", "created_at": "2026-11-22T14:29:28Z",
        "updated_at": "2026-11-22T14:29:28Z",
    }))]
    pub struct Account, stored as AccountRow, shown with (row, connection: &Connection) {
        /// ID.
        pub id: AccountId = stored,
        /// Connection; unique together with the identifier.
        private connection_id: ConnectionId,
        /// Name of the connection.
        pub connection_name: ConnectionName = computed connection.name.clone(),
        /// Product.
        pub product: String = computed connection.product.clone(),
        /// Your application's ID of the user.
        pub identifier: Identifier = stored,
        /// State.
        pub state: AccountState = stored,
        /// State to return to when a suspension ends.
        private suspended_from: Option<AccountState>,
        /// Why the user needs to authorize again.
        pub reason: Option<AccountReason> = stored,
        /// Whether its tokens work.
        pub health: AccountHealth = computed row.health_as_shown(),
        /// Whether the last refresh succeeded.
        private health: AccountHealth,
        /// Scopes that the user granted.
        pub granted_scopes: Vec<String> = stored,
        /// Scopes that the connection requests but the user hasn't granted.
        pub missing_scopes: Vec<String> = stored,
        /// The user's name at the product, such as an email address.
        pub product_user: Option<String> = computed row.subject.map(|subject| subject.display.unwrap_or(subject.id)),
        /// The user at the product.
        private subject: Option<Subject>,
        /// Generation of the current credential. 0 for none.
        private generation: u64,
        /// Highest generation so far.
        private last_generation: u64,
        /// Credentials up to this generation need to be revoked at the product, including tokens that a running refresh
        /// still gets for them.
        #[serde(default)]
        private revoked_generation: u64,
        /// Epoch of the connection's client that the current credential was issued to.
        #[serde(default)]
        private client_epoch: u64,
        /// How often it was disconnected. Account tokens from before the last disconnection don't work.
        #[serde(default)]
        private disconnections: u64,
        /// When the current access token expires.
        pub token_expires_at: Option<Timestamp> = stored,
        /// The refresh that is running now.
        private lease: Option<Lease>,
        /// Number of temporary refresh failures in a row.
        private refresh_failures: u32,
        /// More state of its refreshes.
        #[serde(flatten)]
        private refresh: RefreshState,
        /// When the user needs to authorize again, if known. The refresh token expires then, or the product issued
        /// none.
        pub reauthorize_by: Option<Timestamp>
            = computed row.refresh.reauthorize_by.filter(|_| row.state == AccountState::Active),
        /// Digest of the imported line. Importing the same line again changes nothing, even if the tokens have changed
        /// since.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private imported: Option<Digest>,
        /// When the account was created.
        pub created_at: Timestamp = stored,
        /// When it was last changed.
        pub updated_at: Timestamp = stored,
        /// Other members of the stored body, such as those of a newer version.
        #[serde(flatten)]
        private extra: Extra,
    }
}

query! {
    /// Which accounts to list. All of them by default.
    pub struct AccountFilter {
        /// Only accounts of this connection.
        pub connection_name: Option<String>,
        /// Only accounts of this product.
        pub product: Option<String>,
        /// Only accounts of this user.
        pub identifier: Option<String>,
        /// Only users whose identifier starts with this text, ordered by connection and identifier.
        pub identifier_prefix: Option<String>,
        /// Only accounts in this state.
        pub state: Option<AccountState>,
    }
}

/// A request for an authorization link.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[schemars(example = json!({
    "connection_name": "mail", "identifier": "user-1", "verify_url": "https://app.example.com/connected",
    "state": "settings-page",
}))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewAuthorizationLink {
    /// Name of the connection.
    pub connection_name: String,
    /// Your application's ID of the user.
    pub identifier: String,
    /// URL that the user's browser returns to. Your application then confirms who the user was. Defaults to the
    /// operator's setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify_url: Option<String>,
    /// Passed to `verify_url` unchanged. At most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Scopes to request instead of the connection's permissions. Stead also requests the scopes that the user has
    /// already granted, because leaving one out would remove it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// Lifetime of the link in seconds: 60 to 86400. Defaults to 600.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u32>,
    /// Whether the user can replace the current account with a different account of the product.
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
    /// When it expires.
    pub expires_at: Timestamp,
    /// ID of the authorization.
    pub authorization_id: AuthorizationId,
}

impl std::fmt::Debug for AuthorizationLink {
    /// Leaves out the link, because anyone who has it can open it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthorizationLink")
            .field("authorization_id", &self.authorization_id)
            .finish_non_exhaustive()
    }
}

impl AuthorizationLink {
    /// A link with its expiry and authorization.
    pub fn new(link: String, expires_at: Timestamp, authorization_id: AuthorizationId) -> Self {
        Self {
            link,
            expires_at,
            authorization_id,
        }
    }
}

query! {
    /// How to disconnect an account.
    #[derive(Copy)]
    #[setters(new)]
    pub struct Disconnection {
        /// Also revokes the grant at the product.
        pub revoke_at_product: bool,
        /// Also erases the user's personal data, including in the history.
        pub erase: bool,
        /// Changes nothing and returns what would be disconnected.
        pub dry_run: bool,
    }
}

/// Result of a disconnection. The account's tokens are always deleted from the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({ "revocation": "none" }))]
#[non_exhaustive]
pub struct Disconnected {
    /// Outcome for the grant at the product.
    pub revocation: Revocation,
    /// Whether revoking the grant also revokes the user's grants to other connections of the same application.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ends_other_grants: bool,
    /// Other accounts that stop working. Their users need to authorize again after the product has revoked the grant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_ends: Vec<AlsoEnded>,
    /// Progress of the erasure, if you requested one. The account itself is already deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erasure: Option<ErasureProgress>,
}

/// Progress of a user's erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErasureProgress {
    /// No stored record names the user.
    Complete,
    /// Older records still name the user. Maintenance erases them automatically. Repeat the request to see the
    /// progress.
    Pending,
}

/// Another account that stops working with a grant. It has the same product user and a client of the same project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AlsoEnded {
    /// Name of the connection.
    pub connection_name: ConnectionName,
    /// Your application's ID of the user.
    pub identifier: Identifier,
}

/// Outcome for a grant at the product when its account is disconnected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Revocation {
    /// You didn't request it, so the grant stays until the user or the product revokes it.
    None,
    /// Stead revokes it at the product and retries if the product doesn't respond. An event reports the outcome.
    Requested,
    /// Stead can't revoke it, because the product has no revocation endpoint or no token is left.
    NotPossible,
}
