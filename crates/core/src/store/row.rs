//! What a store keeps. Secrets are [`Sealed`] or digests; nothing here opens them.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::{
    identifier::{
        AccountId, AuthorizationId, ConnectionId, ConnectionName, DataKeyId, EventId, ExecutionId,
        Identifier, OutboxId,
    },
    resource::{AccountHealth, AccountReason, AccountState, ConnectionHealth, ConnectionState},
};

/// A sealed secret: key id, nonce and ciphertext in one. Base64 in JSON.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed(Vec<u8>);

impl Sealed {
    /// Takes sealed bytes as they were stored.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
    /// The bytes to store.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealed({} bytes)", self.0.len())
    }
}

impl Serialize for Sealed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Sealed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD
            .decode(text)
            .map(Self)
            .map_err(serde::de::Error::custom)
    }
}

/// SHA-256 of a secret that is only ever compared: link, state, cookie, bearer token. Hexadecimal in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

impl Digest {
    /// The fingerprint of a secret.
    pub fn of(secret: &str) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
        let digest = Sha256::digest(secret.as_bytes());
        let mut text = String::with_capacity(64);
        for byte in digest {
            text.push(digit(byte >> 4));
            text.push(digit(byte & 0x0f));
        }
        Self(text)
    }
    /// The hexadecimal text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A row with the version that guards its next change, and the store's time at the reading.
#[derive(Debug, Clone, PartialEq)]
pub struct Versioned<T> {
    /// The row.
    pub row: T,
    /// 1 at the insertion, one more at every update.
    pub version: u64,
    /// The store's own time when it was read.
    pub read_at: Timestamp,
}

/// A connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConnectionRow {
    /// Id; primary key.
    pub id: ConnectionId,
    /// Name; unique.
    pub name: ConnectionName,
    /// Product.
    pub product: String,
    /// OAuth client id.
    pub client_id: Option<String>,
    /// OAuth client secret.
    pub client_secret: Option<Sealed>,
    /// Scopes or capabilities.
    pub permissions: Vec<String>,
    /// Settings of the product.
    pub settings: Map<String, Value>,
    /// State.
    pub state: ConnectionState,
    /// Whether the product takes the client credentials.
    pub health: ConnectionHealth,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// An account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccountRow {
    /// Id; primary key.
    pub id: AccountId,
    /// Connection; unique together with the identifier.
    pub connection_id: ConnectionId,
    /// The application's id of the user.
    pub identifier: Identifier,
    /// State.
    pub state: AccountState,
    /// State to go back to when a suspension ends.
    pub suspended_from: Option<AccountState>,
    /// Why it needs a new authorization.
    pub reason: Option<AccountReason>,
    /// Whether the last refresh went well.
    pub health: AccountHealth,
    /// Scopes that the user granted.
    pub granted_scopes: Vec<String>,
    /// Scopes asked for and not granted.
    pub missing_scopes: Vec<String>,
    /// Who the user is at the product.
    pub subject: Option<Subject>,
    /// Generation of the current credential; 0 for none.
    pub generation: u64,
    /// Highest generation ever given out.
    pub last_generation: u64,
    /// When the current access token ends, if it does.
    pub token_expires_at: Option<Timestamp>,
    /// Who is refreshing the credential now.
    pub lease: Option<Lease>,
    /// Temporary failures of refreshing in a row.
    pub refresh_failures: u32,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Who a user is at a product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The product's stable id.
    pub id: String,
    /// What a person recognizes, such as an address.
    pub display: Option<String>,
}

/// A right to refresh one credential, for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// Process and flight that hold it.
    pub owner: Uuid,
    /// Until when, by the store's time.
    pub until: Timestamp,
    /// Generation that is being refreshed.
    pub generation: u64,
}

/// One token set. Inserted once; later only shredded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CredentialRow {
    /// Account; primary key together with the generation.
    pub account_id: AccountId,
    /// Generation, from 1.
    pub generation: u64,
    /// The tokens; `None` once shredded.
    pub sealed: Option<Sealed>,
    /// Authorization that keeps it from being the account's current one: the one that it waits for in quarantine, or
    /// the one whose grant has replaced it. `None` where it may be the current one.
    #[serde(default)]
    pub held_by: Option<AuthorizationId>,
    /// When it was inserted.
    pub created_at: Timestamp,
}

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
pub struct AuthorizationRow {
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

/// A client id and secret of the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AppCredentialRow {
    /// Client id; primary key.
    pub client_id: String,
    /// Name for people.
    pub name: String,
    /// Digest of the secret.
    pub secret: Digest,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A bearer token of the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccessTokenRow {
    /// Digest of the token; primary key.
    pub token: Digest,
    /// Whose it is.
    pub client_id: String,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// A data key, wrapped by a key of the ring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataKeyRow {
    /// Id; primary key.
    pub id: DataKeyId,
    /// Key of the ring that wraps it.
    pub ring_key: String,
    /// The wrapped key.
    pub wrapped: Sealed,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A run of a tool or of the proxy. Holds no input and no result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecutionRow {
    /// Id; primary key.
    pub id: ExecutionId,
    /// Tool, or `proxy`.
    pub tool: String,
    /// Version of the tool; for the proxy the method.
    pub tool_version: String,
    /// Account.
    pub account_id: Option<AccountId>,
    /// Connection as asked.
    pub connection_name: String,
    /// Identifier as asked.
    pub identifier: String,
    /// When it began.
    pub started_at: Timestamp,
    /// How long it took, in microseconds.
    pub duration_micros: u64,
    /// `ok`, or the error's kind.
    pub outcome: String,
    /// Requests sent to the product.
    pub requests: u32,
}

/// Something that happened, for the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// Id; primary key.
    pub id: EventId,
    /// Dotted name, such as `account.activated`.
    pub name: String,
    /// When.
    pub at: Timestamp,
    /// Account, where it is about one.
    pub account_id: Option<AccountId>,
    /// Facts; no secret.
    pub data: Value,
}

/// Something to do at a product after a commit, until it is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutboxRow {
    /// Id; primary key.
    pub id: OutboxId,
    /// What to do.
    pub task: OutboxTask,
    /// Failed attempts.
    pub attempts: u32,
    /// When to try next.
    pub due_at: Timestamp,
}

/// What to do at a product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum OutboxTask {
    /// Revoke a token (RFC 7009).
    Revoke {
        /// Connection whose client authenticates the request.
        connection_id: ConnectionId,
        /// Account whose token it was.
        account_id: AccountId,
        /// Generation that the token belonged to.
        generation: u64,
        /// The token.
        token: Sealed,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_bytes_are_base64_in_json_and_shown_nowhere() {
        let sealed = Sealed::from_bytes(b"CANARY".to_vec());
        let text = serde_json::to_string(&sealed).unwrap();
        assert_eq!(text, "\"Q0FOQVJZ\"");
        assert_eq!(serde_json::from_str::<Sealed>(&text).unwrap(), sealed);
        assert!(serde_json::from_str::<Sealed>("\"not base64\"").is_err());
        assert_eq!(format!("{sealed:?}"), "Sealed(6 bytes)");
    }

    #[test]
    fn a_fingerprint_is_sha_256_in_hexadecimal() {
        // FIPS 180-2, B.1.
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of("abc").as_str(), digest);
        assert_eq!(
            serde_json::to_string(&Digest::of("abc")).unwrap(),
            format!("\"{digest}\"")
        );
    }
}
