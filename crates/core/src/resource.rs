//! What an application sees: connections, accounts, links, tools and executions. The service sends these as JSON,
//! the client reads them, the embedded platform returns them; none holds a secret.

use std::{collections::BTreeMap, marker::PhantomData};

use jiff::Timestamp;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};

use crate::{
    Error, ErrorKind, Result,
    error::AuthorizationRequest,
    identifier::{
        AccountId, AuthorizationId, ConnectionId, ConnectionName, ExecutionId, Identifier,
    },
    tool::{Effect, Warning},
};

pub use crate::state::{
    AccountHealth, AccountReason, AccountState, ConnectionHealth, ConnectionState,
};

/// A connection: one product's OAuth client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Default, Deserialize)]
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
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ConnectionChange {
    /// New OAuth client id; accounts then need a new authorization.
    pub client_id: Option<String>,
    /// New OAuth client secret; write-only.
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

/// A user's account at a product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Only those in this state.
    pub state: Option<AccountState>,
}

/// What an authorization link is made for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NewAuthorizationLink {
    /// Connection.
    pub connection_name: String,
    /// The application's id of the user.
    pub identifier: String,
    /// Where the user's browser comes back to; the application then confirms who it was.
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
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// A call of a tool by name, with all its options.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ExecuteRequest {
    /// Connection.
    pub connection_name: String,
    /// The application's id of the user.
    pub identifier: String,
    /// Input of the tool: an object.
    #[serde(default)]
    pub input: Value,
    /// Version of the schema, a date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<String>,
    /// Version of the tool, a date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// Describes the first requests instead of sending them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Makes the ids of this call derive from this key; comes from the header `Idempotency-Key` over HTTP.
    #[serde(skip)]
    pub idempotency_key: Option<String>,
}

impl ExecuteRequest {
    /// A call as this user of this connection. `input` is an object.
    pub fn new(
        connection_name: impl Into<String>,
        identifier: impl Into<String>,
        input: Value,
    ) -> Self {
        Self {
            connection_name: connection_name.into(),
            identifier: identifier.into(),
            input,
            ..Self::default()
        }
    }
}

/// Result of a call: the data as JSON text, which [`Execution::output`] reads as `T` when it is asked to.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound = "")]
#[non_exhaustive]
pub struct Execution<T = Value> {
    /// Id of the run.
    pub execution_id: ExecutionId,
    /// Tool.
    pub tool: String,
    /// Version that ran.
    pub tool_version: String,
    /// Result: the product's own JSON text where the tool passes it on.
    pub data: Box<RawValue>,
    /// What did not fail the call, yet matters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    #[serde(skip)]
    output: PhantomData<fn() -> T>,
}

impl Execution {
    /// A result.
    pub fn new(
        execution_id: ExecutionId,
        tool: impl Into<String>,
        tool_version: impl Into<String>,
        data: Box<RawValue>,
        warnings: Vec<Warning>,
    ) -> Self {
        Self {
            execution_id,
            tool: tool.into(),
            tool_version: tool_version.into(),
            data,
            warnings,
            output: PhantomData,
        }
    }

    /// The same result, to be read as another type.
    pub fn typed<T>(self) -> Execution<T> {
        Execution {
            execution_id: self.execution_id,
            tool: self.tool,
            tool_version: self.tool_version,
            data: self.data,
            warnings: self.warnings,
            output: PhantomData,
        }
    }
}

impl<T> Execution<T> {
    /// The data as the tool describes it. What the struct does not name is in [`Execution::data`] all the same.
    ///
    /// # Errors
    /// [`ErrorKind::ProductProtocolError`] where the data has another shape.
    pub fn output(&self) -> Result<T>
    where
        T: serde::de::DeserializeOwned,
    {
        self.json()
    }

    /// The data as a value or a struct of your own.
    ///
    /// # Errors
    /// [`ErrorKind::ProductProtocolError`] where the data has another shape.
    pub fn json<U: serde::de::DeserializeOwned>(&self) -> Result<U> {
        serde_json::from_str(self.data.get()).map_err(|error| {
            Error::new(
                ErrorKind::ProductProtocolError,
                format!("the result has another shape: {error}"),
            )
        })
    }
}

/// A raw request to a product.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ProxyRequest {
    /// Connection.
    pub connection_name: String,
    /// The application's id of the user.
    pub identifier: String,
    /// The product's path, starting with `/`, percent-encoded where needed; may carry a query.
    pub path: String,
    /// HTTP method, in capitals.
    pub method: String,
    /// Query pairs; a list gives one pair per item.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub query: Map<String, Value>,
    /// Headers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// JSON body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

impl ProxyRequest {
    /// A request as this user of this connection.
    pub fn new(
        connection_name: impl Into<String>,
        identifier: impl Into<String>,
        method: impl Into<String>,
        path: impl Into<String>,
    ) -> Self {
        Self {
            connection_name: connection_name.into(),
            identifier: identifier.into(),
            method: method.into(),
            path: path.into(),
            ..Self::default()
        }
    }
}

/// A tool of the catalogue.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolDescription {
    /// Name.
    pub name: String,
    /// Product.
    pub product: String,
    /// Version of the tool, a date.
    pub tool_version: String,
    /// Version of the schema: the same date.
    pub schema_version: String,
    /// What a call can do.
    pub effect: Effect,
    /// Scopes of which one is needed.
    pub scopes: Vec<String>,
    /// What it does.
    pub description: String,
    /// JSON Schema of the input, draft 2020-12.
    pub input_schema: Value,
    /// JSON Schema of the result's data, draft 2020-12. The data may have members that it does not name.
    #[serde(default)]
    pub output_schema: Value,
    /// Whether the user asked about can call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readiness: Option<Readiness>,
}

impl ToolDescription {
    /// Describes a tool of the catalogue.
    ///
    /// # Errors
    /// As [`CatalogueTool::schema`](crate::catalogue::CatalogueTool::schema).
    pub fn of(tool: &crate::catalogue::CatalogueTool) -> Result<Self> {
        let (entry, schema) = (tool.entry(), tool.schema()?);
        Ok(Self {
            name: entry.name().to_owned(),
            product: tool.product().name.to_owned(),
            tool_version: entry.version().to_owned(),
            schema_version: entry.version().to_owned(),
            effect: entry.effect(),
            scopes: entry
                .scopes()
                .0
                .iter()
                .map(|scope| (*scope).to_owned())
                .collect(),
            description: schema.description().to_owned(),
            input_schema: schema.schema().clone(),
            output_schema: tool.output_schema().clone(),
            readiness: None,
        })
    }
}

/// Whether a user can call a tool now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Readiness {
    /// Yes.
    Ready,
    /// The account is active and lacks a scope.
    NeedsScope,
    /// There is no usable account.
    NeedsConnection,
}

/// One page of a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Page<T> {
    /// The items, in a stable order.
    pub items: Vec<T>,
    /// Where the next page starts; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<String>,
}

impl<T> Page<T> {
    /// A page, and where the next one starts.
    pub fn new(items: Vec<T>, next_page_token: Option<String>) -> Self {
        Self {
            items,
            next_page_token,
        }
    }
}

/// Which tools are listed.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ToolFilter {
    /// Only this product's.
    pub product: Option<String>,
    /// Adds whether this user can call each tool, through any connection of the product.
    pub identifier: Option<String>,
}
