//! Bearer tokens of one user's accounts.

use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_derive::Setters;

use super::{Page, secret};
use crate::{
    ErrorKind::{
        AccountNotFound, AccountSuspended, ConnectionNotReady, NotFound, UnknownConnection,
    },
    api::{Paging, operations, query, resource},
    identifier::{AccountTokenId, ConnectionName, Identifier},
    scope::ScopeName::AccountTokensCreate,
    state::TokenAccess,
};
#[cfg(feature = "platform")]
use crate::{
    digest::Digest,
    domain::{AccountRef, TokenAccount},
    identifier::AccountId,
};

operations! {
    /// Lists the active account tokens of an account.
    list: ListAccountTokens { ; query of: TokensOfAccount, query page: Paging } -> Page<AccountToken>
        = GET "/v1/account-tokens" {
            scope: Some(AccountTokensCreate), errors: &[UnknownConnection, AccountNotFound],
        }
    /// Creates an account token, a bearer token for one account.
    create: NewAccountToken(body) -> IssuedAccountToken
        = POST "/v1/account-tokens" {
            status: 201, scope: Some(AccountTokensCreate),
            errors: &[UnknownConnection, ConnectionNotReady, AccountSuspended], repeatable: true,
            audit: &["account_token.created"],
        }
    /// Revokes an account token.
    delete: DeleteAccountToken { token_id } -> ()
        = DELETE "/v1/account-tokens/{token_id}" {
            status: 204, scope: Some(AccountTokensCreate), errors: &[NotFound], audit: &["account_token.ended"],
        }
}

query! {
    /// The account to list tokens of.
    #[setters(new)]
    pub struct TokensOfAccount {
        /// The account's connection.
        pub connection_name: String,
        /// The account's user.
        pub identifier: String,
    }
}

/// A request for an account token, for one connection or for several of different products.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[schemars(example = NewAccountToken::new("mail", "user-1", TokenAccess::Read))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewAccountToken {
    /// Name of the connection. Leave it out if you list several in `connections`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[setters(required)]
    pub connection_name: String,
    /// Several connections, each of a different product. At the proxy host, a request's path determines the connection.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<String>,
    /// Your application's ID of the user.
    pub identifier: String,
    /// Access: `read`, or `write`, which includes reading.
    pub access: TokenAccess,
    /// Lifetime in seconds: 60 to 86400. Defaults to 3600.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u32>,
}

impl NewAccountToken {
    /// Also includes the user's account at this connection.
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
    /// The bearer token. Stead stores only its digest.
    #[serde(serialize_with = "secret::exposed")]
    #[schemars(with = "String")]
    pub token: SecretString,
    /// ID.
    pub token_id: AccountTokenId,
    /// Name of the connection, or of the first one if the token is for several.
    pub connection_name: ConnectionName,
    /// Names of all its connections.
    #[serde(default)]
    pub connections: Vec<ConnectionName>,
    /// Your application's ID of the user.
    pub identifier: Identifier,
    /// Access of the token.
    pub access: TokenAccess,
    /// When it expires.
    pub expires_at: Timestamp,
    /// URL of the proxy host. The token determines the account, and paths are the product's own. Absent if this
    /// environment has no proxy host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy_url: Option<String>,
}

resource! {
    /// An active account token.
    #[derive(Eq)]
    #[schemars(example = json!({
        "token_id": "tok_01a2037b052070199760437deb0e58e8", "connection_name": "mail", "connections": ["mail"],
        "identifier": "user-1", "access": "read", "client_id": "app_01a2037b035070009412e81b2b61a1aa",
        "created_at": "2026-11-22T13:38:43Z", "expires_at": "2026-11-22T14:38:43Z",
    }))]
    pub struct AccountToken, stored as AccountTokenRow,
    shown with (row, of: AccountRef, names: Vec<ConnectionName>) {
        /// ID.
        pub token_id: AccountTokenId = stored as id,
        /// Digest of the token.
        private token: Digest,
        /// The first account.
        private account_id: AccountId,
        /// How often the first account had been disconnected when the token was created.
        private disconnections: u64,
        /// The user's accounts at other connections that it's also for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        private others: Vec<TokenAccount>,
        /// Name of the connection, or of the first one if the token is for several.
        pub connection_name: ConnectionName = computed of.connection,
        /// Names of all its connections.
        #[serde(default)]
        pub connections: Vec<ConnectionName> = computed names,
        /// Your application's ID of the user.
        pub identifier: Identifier = computed of.identifier,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private client_id: Option<String>,
        /// Access of the token.
        pub access: TokenAccess = stored,
        /// Client ID of the application that created it. Absent if the operator created it.
        pub client_id: Option<String> = computed row.client_id,
        /// When it was created.
        pub created_at: Timestamp = stored,
        /// When it expires.
        pub expires_at: Timestamp = stored,
    }
}
