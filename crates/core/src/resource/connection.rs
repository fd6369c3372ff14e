//! Connections: one product's OAuth client each.

use jiff::Timestamp;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stead_derive::Setters;

use super::{Page, secret};
use crate::{
    ErrorKind::{AlreadyExists, InvalidTransition},
    api::{Paging, operations, resource},
    identifier::{ConnectionId, ConnectionName},
    scope::ScopeName::{ConnectionsManage, ConnectionsRead},
    state::{ConnectionHealth, ConnectionState},
};
#[cfg(feature = "platform")]
use crate::{
    domain::Extra,
    sealed::{Sealed, place},
};

operations! {
    /// Lists connections.
    list: ListConnections { ; query page: Paging } -> Page<Connection>
        = GET "/v1/connections" { scope: Some(ConnectionsRead) }
    /// Creates a connection.
    create: NewConnection(body) -> Connection
        = POST "/v1/connections" {
            status: 201, scope: Some(ConnectionsManage), errors: &[AlreadyExists], audit: &["connection.created"],
        }
        created |connection| connection.connection_name.to_string();
    /// Reads a connection.
    read: ReadConnection { connection_name } -> Connection
        = GET "/v1/connections/{connection_name}" { scope: Some(ConnectionsRead) }
    /// Changes the given members of a connection.
    change: ChangeConnection { connection_name; body change: ConnectionChange } -> Connection
        = PATCH "/v1/connections/{connection_name}" {
            scope: Some(ConnectionsManage), errors: &[InvalidTransition], audit: &["connection.changed"],
        }
    /// Deletes a connection without connected accounts.
    delete: DeleteConnection { connection_name } -> ()
        = DELETE "/v1/connections/{connection_name}" {
            status: 204, scope: Some(ConnectionsManage), errors: &[InvalidTransition], audit: &["connection.deleted"],
        }
}

resource! {
    /// A connection: one product's OAuth client.
    #[schemars(example = json!({
        "id": "conn_01a2037b049d70088eaab85ce92ba4ca", "connection_name": "mail", "product": "mail",
        "state": "ready", "health": "client_ok", "client_id": "your-client-id",
        "has_client_secret": true, "permissions": [],
        "redirect_uri": "https://stead.example.com/sso/v1/oauth/conn_01a2037b049d70088eaab85ce92ba4ca/callback",
        "created_at": "2026-11-22T13:38:43Z", "updated_at": "2026-11-22T13:38:43Z",
    }))]
    pub struct Connection, stored as ConnectionRow,
    shown with (row, takes_permissions: bool, redirect_uri: String) {
        /// ID, which is part of the redirect URI.
        pub id: ConnectionId = stored,
        /// Name that you chose.
        pub connection_name: ConnectionName = stored as name,
        /// Product.
        pub product: String = stored,
        /// State.
        pub state: ConnectionState = computed row.state,
        /// Whether the product accepts the client credentials.
        pub health: ConnectionHealth = computed row.health,
        /// OAuth client ID.
        pub client_id: Option<String> = stored,
        /// OAuth client secret.
        private client_secret: Option<Sealed<place::ClientSecret>>,
        /// Whether a client secret is stored. Stead never shows the secret itself.
        pub has_client_secret: bool = computed row.client_secret.is_some(),
        /// Increases with every change of the client ID or the product's host, because tokens belong to the client and
        /// host that issued them.
        #[serde(default)]
        private client_epoch: u64,
        /// All accounts and authorizations of epochs before this one have been updated.
        #[serde(default)]
        private ended_epoch: u64,
        /// Scopes or capabilities. Absent if the product has none.
        pub permissions: Option<Vec<String>> = computed takes_permissions.then_some(row.permissions),
        private permissions: Vec<String>,
        /// Settings of the product.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        pub settings: Map<String, Value> = stored,
        /// Kinds of requests that Stead refuses unless they're listed here, such as `empty_trash`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub allowed_requests: Vec<String> = stored #[serde(default, skip_serializing_if = "Vec::is_empty")],
        private state: ConnectionState,
        private health: ConnectionHealth,
        /// Redirect URI. Register exactly this text at the product.
        pub redirect_uri: String = computed redirect_uri,
        /// When it was created.
        pub created_at: Timestamp = stored,
        /// When it was last changed.
        pub updated_at: Timestamp = stored,
        /// Other members of the stored body, such as those of a newer version.
        #[serde(flatten)]
        private extra: Extra,
    }
}

/// A request for a new connection.
///
/// ```
/// # use stead_core::resource::NewConnection;
/// let new = NewConnection::mail("mail")
///     .client("your-client-id", "your-client-secret")
///     .permissions(["https://www.googleapis.com/auth/gmail.readonly"]);
/// assert_eq!(new.client_id.as_deref(), Some("your-client-id"));
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
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
    /// OAuth client ID. Without it, the connection is a draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// OAuth client secret. Write-only.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::exposed_if_any"
    )]
    #[schemars(with = "Option<String>")]
    pub client_secret: Option<SecretString>,
    /// Scopes, capabilities, or names of sets of scopes, such as `send`. Short names also work. Defaults to the
    /// product's standard set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
    /// Settings of the product.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// Kinds of dangerous requests to allow, such as `empty_trash`. Each product has its own kinds. Defaults to none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_requests: Option<Vec<String>>,
}

/// A constructor for each product, with the product's name.
macro_rules! products {
    ($($product:ident),+) => {
        impl NewConnection {
            $(#[doc = concat!("A connection of the product `", stringify!($product), "`.")]
            #[must_use]
            pub fn $product(connection_name: impl Into<String>) -> Self {
                Self::new(connection_name, stringify!($product))
            })+
        }
    };
}
products!(calendar, drive, mail, sheets, warehouse, workspace);

impl NewConnection {
    /// Sets the OAuth client that you registered at the product.
    #[must_use]
    pub fn client(mut self, id: impl Into<String>, secret: impl Into<SecretString>) -> Self {
        self.client_id = Some(id.into());
        self.client_secret = Some(secret.into());
        self
    }
    /// Sets a setting of the product, such as the warehouse's `account`.
    #[must_use]
    pub fn setting(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.settings.insert(name.into(), value.into());
        self
    }
}

/// Changes to a connection. Absent members stay unchanged.
///
/// ```
/// # use stead_core::resource::ConnectionChange;
/// let change = ConnectionChange::default().client("new-client-id", "new-client-secret").disabled(false);
/// assert_eq!(change.disabled, Some(false));
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Setters)]
#[schemars(example = json!({ "client_secret": "your-new-client-secret" }))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ConnectionChange {
    /// New OAuth client ID. Users then need to authorize again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// New OAuth client secret. Write-only.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "secret::exposed_if_any"
    )]
    #[schemars(with = "Option<String>")]
    pub client_secret: Option<SecretString>,
    /// New scopes or capabilities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
    /// New settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Map<String, Value>>,
    /// New list of the kinds of requests to allow. An empty list allows none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_requests: Option<Vec<String>>,
    /// Disables or enables the connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
}

impl ConnectionChange {
    /// Sets a new OAuth client. If the ID differs, users then need to authorize again.
    #[must_use]
    pub fn client(mut self, id: impl Into<String>, secret: impl Into<SecretString>) -> Self {
        self.client_id = Some(id.into());
        self.client_secret = Some(secret.into());
        self
    }
}
