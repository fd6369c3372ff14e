//! Credentials with which applications authenticate to a service.

use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_derive::Setters;

use super::{Page, secret};
use crate::{
    ErrorKind::{InvalidTransition, NotFound, UnknownConnection},
    api::{Paging, operations, resource},
    scope::{ScopeName::CredentialsManage, Scopes},
};
#[cfg(feature = "platform")]
use crate::{caller::Connections, digest::Digest, domain::Extra};

operations! {
    /// Lists applications' credentials.
    list: ListAppCredentials { ; query page: Paging } -> Page<AppCredential>
        = GET "/v1/app-credentials" { scope: Some(CredentialsManage) }
    /// Creates a credential and shows its secret once.
    create: NewAppCredential(body) -> IssuedAppSecret
        = POST "/v1/app-credentials" {
            status: 201, scope: Some(CredentialsManage), errors: &[UnknownConnection],
            audit: &["app_credential.created"],
        }
        created |issued| issued.credential.client_id.clone();
    /// Reads a credential.
    read: ReadAppCredential { client_id } -> AppCredential
        = GET "/v1/app-credentials/{client_id}" { scope: Some(CredentialsManage), errors: &[NotFound] }
    /// Changes the given members of a credential.
    change: ChangeAppCredential { client_id; body change: AppCredentialChange } -> AppCredential
        = PATCH "/v1/app-credentials/{client_id}" {
            scope: Some(CredentialsManage), errors: &[NotFound, UnknownConnection],
            audit: &["app_credential.changed"],
        }
    /// Revokes a credential and its tokens.
    delete: DeleteAppCredential { client_id } -> ()
        = DELETE "/v1/app-credentials/{client_id}" {
            status: 204, scope: Some(CredentialsManage), errors: &[NotFound], audit: &["app_credential.revoked"],
        }
    /// Creates a new secret and shows it once.
    rotate: RotateAppCredential { client_id; body rotation: SecretRotation } -> IssuedAppSecret
        = POST "/v1/app-credentials/{client_id}/rotate" {
            scope: Some(CredentialsManage), errors: &[NotFound, InvalidTransition],
            audit: &["app_credential.rotated"],
        }
    /// Revokes one secret of a credential.
    revoke_secret: RevokeAppSecret { client_id, secret_id } -> AppCredential
        = DELETE "/v1/app-credentials/{client_id}/secrets/{secret_id}" {
            scope: Some(CredentialsManage), errors: &[NotFound, InvalidTransition],
            audit: &["app_credential.secret_revoked"],
        }
}

resource! {
    /// An application's credential: a client ID, up to two secrets, scopes and limits.
    #[schemars(example = json!({
        "client_id": "app_01a2037b045d7002b7659c8688d6ce1c", "name": "agent", "scopes": ["tools:execute:mail"],
        "rate_per_minute": 600, "created_at": "2026-11-22T13:38:43Z",
        "secrets": [{ "secret_id": "099c4409b5f5", "ends_with": "Hpyx", "created_at": "2026-11-22T13:38:43Z" }],
    }))]
    pub struct AppCredential, stored as AppCredentialRow, shown with (row, live: Vec<AppSecretRow>) {
        /// Client ID.
        pub client_id: String = stored,
        /// Name for people.
        pub name: String = stored,
        /// Digest of the only secret, in rows of the first version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private secret: Option<Digest>,
        /// The secrets, oldest first. Some may have expired.
        #[serde(default)]
        private secrets: Vec<AppSecretRow>,
        /// Its scopes.
        #[schemars(with = "Vec<String>")]
        pub scopes: Scopes = computed row.scopes(),
        /// Names of the scopes. Rows from before scopes existed have none: [`Scopes::before_scopes`].
        #[serde(default)]
        private scopes: Option<Vec<String>>,
        /// Maximum number of requests per minute. Absent if unlimited.
        pub rate_per_minute: Option<u32> = stored #[serde(default)],
        /// Names of the connections that it's limited to. Absent if it isn't limited.
        pub connections: Option<Vec<String>> = computed row.connections.to_texts(),
        #[serde(default, skip_serializing_if = "Connections::are_all")]
        private connections: Connections,
        /// Name of the policy for its calls. Absent if it has none.
        pub policy: Option<String> = stored #[serde(default, skip_serializing_if = "Option::is_none")],
        /// When it was created.
        pub created_at: Timestamp = computed row.created_at,
        /// When it expires. Absent if it doesn't.
        pub expires_at: Option<Timestamp> = stored #[serde(default)],
        private created_at: Timestamp,
        /// When it was last used, accurate to an hour. Absent if it was never used.
        pub last_used_at: Option<Timestamp> = computed live.iter().filter_map(|secret| secret.last_used_at).max(),
        /// Its active secrets, oldest first.
        pub secrets: Vec<AppSecret> = computed live.into_iter().map(AppSecretRow::shown).collect(),
        #[serde(flatten)]
        private extra: Extra,
    }
}

resource! {
    /// A secret of an application's credential, without its text.
    pub struct AppSecret, stored as AppSecretRow, shown with (row) {
        /// ID of the secret: the first 12 hexadecimal digits of its SHA-256.
        pub secret_id: String = stored as id,
        private digest: Digest,
        /// Its last four characters. Absent if an older version created it.
        pub ends_with: Option<String> = stored,
        /// When it was created.
        pub created_at: Timestamp = stored,
        /// When it expires, if a new secret replaces it.
        pub expires_at: Option<Timestamp> = stored,
        /// When it or one of its tokens was last used, accurate to an hour.
        pub last_used_at: Option<Timestamp> = stored,
    }
}

/// A credential with a new secret. The secret is shown only once.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "client_id": "app_01a2037b045d7002b7659c8688d6ce1c", "name": "agent", "scopes": ["tools:execute:mail"],
    "rate_per_minute": 600, "created_at": "2026-11-22T13:38:43Z",
    "secrets": [{ "secret_id": "099c4409b5f5", "ends_with": "Hpyx", "created_at": "2026-11-22T13:38:43Z" }],
    "secret_id": "099c4409b5f5", "client_secret": "stead_secret_…",
}))]
#[non_exhaustive]
pub struct IssuedAppSecret {
    /// The credential.
    #[serde(flatten)]
    pub credential: AppCredential,
    /// ID of the secret.
    pub secret_id: String,
    /// The secret. Stead stores only its digest.
    #[serde(serialize_with = "secret::exposed")]
    #[schemars(with = "String")]
    pub client_secret: SecretString,
}

/// A request for a new credential.
///
/// ```
/// # use stead_core::resource::NewAppCredential;
/// let new = NewAppCredential::new("billing").scopes(["tools:execute:mail", "links:create"]);
/// assert_eq!(new.scopes.unwrap().len(), 2);
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[schemars(example = json!({ "name": "agent", "scopes": ["tools:execute:mail"], "rate_per_minute": 600 }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewAppCredential {
    /// Name for people, such as the application's name. 1 to 100 characters.
    pub name: String,
    /// Its scopes. Defaults to all scopes except accounts:import, credentials:manage, members:manage, keys:manage,
    /// audit:read and those of policies and approvals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// Maximum number of requests per minute. Unlimited by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_minute: Option<u32>,
    /// Names of the connections that it can see. All others look as if they didn't exist. `*` or leaving it out means
    /// all connections, or those of the credential that creates it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<Vec<String>>,
    /// Name of a policy for its calls, in addition to the environment's policies. If the credential that creates it has
    /// a policy, it gets that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Seconds until it expires. Doesn't expire by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u32>,
}

/// Changes to a credential. Absent members stay unchanged.
///
/// ```
/// # use stead_core::resource::AppCredentialChange;
/// let change = AppCredentialChange::default().scopes(["events:read"]).rate_per_minute(0);
/// assert_eq!(change.rate_per_minute, Some(0));
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Setters)]
#[schemars(example = json!({ "scopes": ["tools:execute:mail", "accounts:read"] }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AppCredentialChange {
    /// New name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// New scopes, which replace the current ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// Maximum number of requests per minute. 0 means unlimited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_minute: Option<u32>,
    /// Names of the connections that it's limited to, which replace the current ones. `*` means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<Vec<String>>,
    /// Name of the policy for its calls, which replaces the current one. An empty string removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

/// Options for rotating a credential's secret.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Setters)]
#[schemars(example = SecretRotation::default().old_expires_in(3_600))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SecretRotation {
    /// Seconds until the current secret and its tokens expire. Defaults to one day, at most 90 days. 0 revokes it
    /// immediately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_expires_in: Option<u32>,
}
