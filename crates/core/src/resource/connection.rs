//! Connections: one product's OAuth client each.

use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    identifier::{ConnectionId, ConnectionName},
    state::{ConnectionHealth, ConnectionState},
};

/// A connection: one product's OAuth client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "id": "conn_01a2037b049d70088eaab85ce92ba4ca", "connection_name": "mail", "product": "mail",
    "state": "ready", "health": "client_ok", "client_id": "your-client-id",
    "has_client_secret": true, "permissions": [],
    "redirect_uri": "https://stead.example.com/sso/v1/oauth/conn_01a2037b049d70088eaab85ce92ba4ca/callback",
    "created_at": "2026-11-22T13:38:43Z", "updated_at": "2026-11-22T13:38:43Z",
}))]
#[non_exhaustive]
pub struct Connection {
    /// Id, part of the redirect URI.
    pub id: ConnectionId,
    /// Name chosen by the developer.
    pub connection_name: ConnectionName,
    /// Product.
    pub product: String,
    /// State.
    pub state: ConnectionState,
    /// Whether the product accepts the client credentials.
    pub health: ConnectionHealth,
    /// OAuth client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Whether a client secret is stored; the secret itself is never shown.
    pub has_client_secret: bool,
    /// Scopes or capabilities; absent where the product takes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
    /// Settings of the product.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map<String, Value>,
    /// Redirect URI to register at the product, byte for byte.
    pub redirect_uri: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// What a new connection is made of.
///
/// ```
/// # use stead_core::resource::NewConnection;
/// let new = NewConnection::new("mail", "mail")
///     .client("your-client-id", "your-client-secret")
///     .permissions(["https://www.googleapis.com/auth/gmail.readonly"]);
/// assert_eq!(new.client_id.as_deref(), Some("your-client-id"));
/// ```
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "connection_name": "mail", "product": "mail", "client_id": "your-client-id",
    "client_secret": "your-client-secret",
}))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewConnection {
    /// Name, unique in the environment.
    pub connection_name: String,
    /// Product.
    pub product: String,
    /// OAuth client id; without it the connection is a draft.
    pub client_id: Option<String>,
    /// OAuth client secret; write-only.
    #[schemars(with = "Option<String>")]
    pub client_secret: Option<SecretString>,
    /// Scopes or capabilities; the product's default where absent. Short names of scopes are taken.
    pub permissions: Option<Vec<String>>,
    /// Settings of the product.
    #[serde(default)]
    pub settings: Map<String, Value>,
}

impl NewConnection {
    /// A connection with this name, of this product.
    pub fn new(connection_name: impl Into<String>, product: impl Into<String>) -> Self {
        Self {
            connection_name: connection_name.into(),
            product: product.into(),
            ..Self::default()
        }
    }
    /// The OAuth client that is registered at the product.
    #[must_use]
    pub fn client(mut self, id: impl Into<String>, secret: impl Into<SecretString>) -> Self {
        self.client_id = Some(id.into());
        self.client_secret = Some(secret.into());
        self
    }
    /// Scopes or capabilities in place of the product's default.
    #[must_use]
    pub fn permissions<S: Into<String>>(
        mut self,
        permissions: impl IntoIterator<Item = S>,
    ) -> Self {
        self.permissions = Some(permissions.into_iter().map(Into::into).collect());
        self
    }
    /// A setting of the product, such as the warehouse's `account`.
    #[must_use]
    pub fn setting(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.settings.insert(name.into(), value.into());
        self
    }
}

/// What changes in a connection; absent members stay.
///
/// ```
/// # use stead_core::resource::ConnectionChange;
/// let change = ConnectionChange::default().client("new-client-id", "new-client-secret").disabled(false);
/// assert_eq!(change.disabled, Some(false));
/// ```
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(example = json!({ "client_secret": "your-new-client-secret" }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ConnectionChange {
    /// New OAuth client id; accounts then need a new authorization.
    pub client_id: Option<String>,
    /// New OAuth client secret; write-only.
    #[schemars(with = "Option<String>")]
    pub client_secret: Option<SecretString>,
    /// New scopes or capabilities.
    pub permissions: Option<Vec<String>>,
    /// New settings.
    pub settings: Option<Map<String, Value>>,
    /// Switches the connection off or on.
    pub disabled: Option<bool>,
}

impl ConnectionChange {
    /// Another OAuth client. Where the id differs, accounts then need a new authorization.
    #[must_use]
    pub fn client(mut self, id: impl Into<String>, secret: impl Into<SecretString>) -> Self {
        self.client_id = Some(id.into());
        self.client_secret = Some(secret.into());
        self
    }
    /// Other scopes or capabilities; none stands for the product's default.
    #[must_use]
    pub fn permissions<S: Into<String>>(
        mut self,
        permissions: impl IntoIterator<Item = S>,
    ) -> Self {
        self.permissions = Some(permissions.into_iter().map(Into::into).collect());
        self
    }
    /// Other settings of the product, in place of all present ones.
    #[must_use]
    pub fn settings(mut self, settings: Map<String, Value>) -> Self {
        self.settings = Some(settings);
        self
    }
    /// Switches the connection off or on.
    #[must_use]
    pub fn disabled(mut self, disabled: bool) -> Self {
        self.disabled = Some(disabled);
        self
    }
}
