//! Credentials with which applications authenticate to a service.

use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;

use crate::scope::Scopes;

/// A credential of an application: a client id with up to two secrets, and what it may do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "client_id": "app_01a2037b045d7002b7659c8688d6ce1c", "name": "agent", "scopes": ["tools:execute:mail"],
    "rate_per_minute": 600, "created_at": "2026-11-22T13:38:43Z",
    "secrets": [{ "secret_id": "099c4409b5f5", "ends_with": "Hpyx", "created_at": "2026-11-22T13:38:43Z" }],
}))]
#[non_exhaustive]
pub struct AppCredential {
    /// Client id.
    pub client_id: String,
    /// Name for people.
    pub name: String,
    /// What it may do.
    #[schemars(with = "Vec<String>")]
    pub scopes: Scopes,
    /// How many requests a minute it may send; absent where that is not limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_minute: Option<u32>,
    /// Connections that it is limited to, by name; absent where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<Vec<String>>,
    /// Policy for its calls, by name; absent where it names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it ends; absent where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When it was last used, up to an hour ago where it is in use; absent where it never was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
    /// Its live secrets, oldest first.
    pub secrets: Vec<AppSecret>,
}

/// A secret of an application's credential, without its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AppSecret {
    /// Names it: the first 12 hexadecimal digits of its SHA-256.
    pub secret_id: String,
    /// Its last four characters; absent for one that an older version made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_with: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends, because another one takes its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When it, or a token made with it, was last used, up to an hour ago where it is in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
}

/// A credential with a secret that was just made. It is shown only here.
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
    /// Id of the secret.
    pub secret_id: String,
    /// The secret. Only its digest is kept.
    #[serde(serialize_with = "exposed")]
    #[schemars(with = "String")]
    pub client_secret: SecretString,
}

/// The one place where a secret is written: in the response that shows it.
fn exposed<S: Serializer>(secret: &SecretString, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose_secret())
}

/// What a new credential is made of.
///
/// ```
/// # use stead_core::resource::NewAppCredential;
/// let new = NewAppCredential::new("billing").scopes(["tools:execute:mail", "links:create"]);
/// assert_eq!(new.scopes.unwrap().len(), 2);
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({ "name": "agent", "scopes": ["tools:execute:mail"], "rate_per_minute": 600 }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewAppCredential {
    /// Name for people, such as the application's; 1 to 100 characters.
    pub name: String,
    /// What it may do; all scopes but accounts:import, credentials:manage, members:manage, keys:manage, audit:read and those of
    /// policies and approvals where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// How many requests a minute it may send; not limited where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_minute: Option<u32>,
    /// Connections that it is limited to, by name: all others look to it as if there were none. `*` for every one, as where
    /// absent; then a limited maker gives its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<Vec<String>>,
    /// Policy for its calls, by name, besides those of the environment. A maker that has one gives its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Seconds after which it ends; it does not where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u32>,
}

impl NewAppCredential {
    /// A credential with this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
    /// What it may do.
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = Some(scopes.into_iter().map(Into::into).collect());
        self
    }
    /// How many requests a minute it may send.
    #[must_use]
    pub fn rate_per_minute(mut self, requests: u32) -> Self {
        self.rate_per_minute = Some(requests);
        self
    }
    /// Connections that it is limited to.
    #[must_use]
    pub fn connections<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.connections = Some(names.into_iter().map(Into::into).collect());
        self
    }
    /// Seconds after which it ends.
    #[must_use]
    pub fn expires_in(mut self, seconds: u32) -> Self {
        self.expires_in = Some(seconds);
        self
    }
}

/// What changes in a credential; absent members stay.
///
/// ```
/// # use stead_core::resource::AppCredentialChange;
/// let change = AppCredentialChange::default().scopes(["events:read"]).rate_per_minute(0);
/// assert_eq!(change.rate_per_minute, Some(0));
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({ "scopes": ["tools:execute:mail", "accounts:read"] }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AppCredentialChange {
    /// New name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it may do, in place of what it may do now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// How many requests a minute it may send; 0 for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_minute: Option<u32>,
    /// Connections that it is limited to, in place of the present ones; `*` for every one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<Vec<String>>,
    /// Policy for its calls, by name, in place of the present one; an empty text for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

impl AppCredentialChange {
    /// Another name.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
    /// Other scopes, in place of all present ones.
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = Some(scopes.into_iter().map(Into::into).collect());
        self
    }
    /// How many requests a minute it may send; 0 for no limit.
    #[must_use]
    pub fn rate_per_minute(mut self, requests: u32) -> Self {
        self.rate_per_minute = Some(requests);
        self
    }
    /// Other connections that it is limited to, in place of all present ones.
    #[must_use]
    pub fn connections<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.connections = Some(names.into_iter().map(Into::into).collect());
        self
    }
    /// Another policy for its calls; an empty text for none.
    #[must_use]
    pub fn policy(mut self, name: impl Into<String>) -> Self {
        self.policy = Some(name.into());
        self
    }
}

/// How a credential gets another secret.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(example = SecretRotation::default().old_expires_in(3_600))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SecretRotation {
    /// Seconds after which the present secret ends, with the tokens made with it: a day where absent, at most 90 days;
    /// 0 ends it at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_expires_in: Option<u32>,
}

impl SecretRotation {
    /// Seconds after which the present secret ends.
    #[must_use]
    pub fn old_expires_in(mut self, seconds: u32) -> Self {
        self.old_expires_in = Some(seconds);
        self
    }
}
