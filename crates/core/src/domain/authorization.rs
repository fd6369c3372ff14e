//! An authorization: one attempt to connect an account.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Subject;
use crate::{
    digest::Digest,
    identifier::{AccountId, AuthorizationId, ConnectionId, Identifier},
    sealed::Sealed,
};

/// How far an authorization has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthorizationState {
    /// The link exists.
    Created,
    /// A browser has opened it and is bound.
    Opened,
    /// That browser was sent to the product.
    Redirected,
    /// It came back; the state is spent.
    Returned,
    /// The code was exchanged; the tokens are in quarantine.
    Exchanged,
    /// The application has to confirm who came back.
    Verifying,
    /// The account is active.
    Completed,
    /// The user refused.
    Denied,
    /// Its time is over.
    Expired,
    /// It failed.
    Failed,
    /// A newer one was completed.
    Superseded,
}

/// One attempt to connect an account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Authorization {
    /// Id; primary key.
    pub id: AuthorizationId,
    /// Account that it is for.
    pub account_id: AccountId,
    /// Its connection.
    pub connection_id: ConnectionId,
    /// Its identifier.
    pub identifier: Identifier,
    /// How far it has come.
    pub state: AuthorizationState,
    /// Why it failed.
    pub reason: Option<String>,
    /// Digest of the link's secret; unique.
    pub link: Digest,
    /// Digest of the OAuth state last sent; unique.
    pub oauth_state: Option<Digest>,
    /// Digest of the cookie of the browser that opened the link.
    pub browser: Option<Digest>,
    /// PKCE verifier.
    pub verifier: Option<Sealed>,
    /// Where the browser was sent, and where the code goes.
    pub endpoints: Option<EndpointSnapshot>,
    /// Scopes asked for.
    pub scopes: Vec<String>,
    /// Where the browser goes after the callback.
    pub verify_url: Option<String>,
    /// Handed back to `verify_url`.
    pub app_state: Option<String>,
    /// Whether another account of the product may take the present one's place.
    pub allow_account_switch: bool,
    /// What the exchange brought, until it is verified.
    pub quarantine: Option<PendingCredential>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When the present step ends.
    pub expires_at: Timestamp,
}

/// Authorization server as it was when the browser was sent there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndpointSnapshot {
    /// Issuer, where the product names one.
    pub issuer: Option<String>,
    /// Authorization endpoint.
    pub authorize: String,
    /// Token endpoint.
    pub token: String,
}

/// A credential that no call may use yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingCredential {
    /// Generation of the credential.
    pub generation: u64,
    /// Scopes that the user granted.
    pub granted_scopes: Vec<String>,
    /// Scopes asked for and not granted.
    pub missing_scopes: Vec<String>,
    /// Who the user is at the product.
    pub subject: Option<Subject>,
    /// When its access token ends.
    pub token_expires_at: Option<Timestamp>,
}
