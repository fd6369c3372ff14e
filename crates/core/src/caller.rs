//! Callers: the people and programs that make calls and changes.

use std::{collections::BTreeSet, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Error, ErrorKind, Result,
    identifier::{AccountId, AccountTokenId, ConnectionName, Identifier, McpSessionId, MemberId},
    results::ResultOptions,
    scope::{Scope, ScopeName, Scopes},
    state::{Role, TokenAccess},
};

/// A caller of an [`Environment`](crate::environment::Environment), which makes calls and changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caller {
    /// The operator, who embeds Stead or runs a command on its database.
    #[default]
    Operator,
    /// An application with its bearer token.
    Application(Arc<Application>),
    /// A program with an account token of one user.
    AccountToken(Arc<AccountToken>),
    /// An agent with the token of an MCP session, which belongs to one user.
    McpSession(Arc<McpSession>),
    /// A signed-in member of the dashboard.
    Member(Arc<Member>),
    /// A user who opened a link in a browser.
    User,
    /// Stead itself: maintenance and background work.
    Stead,
}

/// Connections that a caller can see: all of them, or only those with the given names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Connections(Option<BTreeSet<ConnectionName>>);

impl Connections {
    /// All connections.
    pub const ALL: Self = Self(None);

    /// Only connections with these names.
    pub fn only(names: impl IntoIterator<Item = ConnectionName>) -> Self {
        Self(Some(names.into_iter().collect()))
    }

    /// Whether it includes all connections.
    pub fn are_all(&self) -> bool {
        self.0.is_none()
    }

    /// The names in order. `None` for all connections.
    pub fn names(&self) -> Option<impl Iterator<Item = &ConnectionName>> {
        self.0.as_ref().map(BTreeSet::iter)
    }

    /// The names as texts. `None` for all connections.
    pub fn to_texts(&self) -> Option<Vec<String>> {
        Some(self.names()?.map(ToString::to_string).collect())
    }

    /// Whether the connection with this name is included.
    pub fn have(&self, name: &str) -> bool {
        let named = |names: &BTreeSet<ConnectionName>| names.iter().any(|one| one.as_str() == name);
        self.0.as_ref().is_none_or(named)
    }

    /// Whether it includes all of the others.
    pub fn cover(&self, others: &Self) -> bool {
        match (&self.0, &others.0) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(others)) => others.is_subset(own),
        }
    }

    /// The connections that both include.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(own), Some(others)) => Self(Some(own & others)),
        }
    }
}

/// An authenticated application.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Application {
    /// Its client ID.
    pub client_id: String,
    /// Scopes that both its credential and its token have.
    pub scopes: Scopes,
    /// Maximum number of requests per minute, if limited.
    pub rate_per_minute: Option<u32>,
    /// Connections that its credential is limited to. The application can't see any others.
    pub connections: Connections,
    /// Policy of its credential.
    pub(crate) policy: Option<String>,
}

/// A signed-in member of the dashboard.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// Its ID.
    pub member_id: MemberId,
    /// Its ID as text.
    name: String,
    /// Role of the member.
    pub role: Role,
    /// The role as scopes.
    pub scopes: Scopes,
}

/// An account of an account token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenAccount {
    /// Connection of the account.
    pub connection_name: ConnectionName,
    /// Product of the connection.
    pub product: String,
    /// ID of the account. A later account with the same names has a different ID.
    pub(crate) account_id: AccountId,
    /// How often the account had been disconnected when the token was created.
    pub(crate) disconnections: u64,
}

/// An authenticated account token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccountToken {
    /// Its ID.
    pub token_id: AccountTokenId,
    /// Its ID as text.
    name: String,
    /// Client ID of the application that created it. `None` if the operator created it.
    pub client_id: Option<String>,
    /// The application's ID of the user.
    pub identifier: Identifier,
    /// Accounts of the user, at least one.
    pub accounts: Vec<TokenAccount>,
    /// Access that the token gives.
    pub access: TokenAccess,
    /// Current scopes of the creating application's credential. All scopes if the operator created it.
    pub(crate) scopes: Option<Scopes>,
    /// Policy of this credential.
    pub(crate) policy: Option<String>,
}

#[cfg(feature = "platform")]
impl AccountToken {
    /// A token for these accounts.
    pub(crate) fn new(
        token_id: AccountTokenId,
        client_id: Option<String>,
        access: TokenAccess,
        identifier: Identifier,
        accounts: Vec<TokenAccount>,
        scopes: Option<Scopes>,
    ) -> Self {
        Self {
            token_id,
            name: token_id.to_string(),
            client_id,
            identifier,
            accounts,
            access,
            scopes,
            policy: None,
        }
    }

    /// The token's account at a connection.
    pub(crate) fn at(&self, connection_name: &ConnectionName) -> Option<&TokenAccount> {
        let mut accounts = self.accounts.iter();
        accounts.find(|account| account.connection_name == *connection_name)
    }

    /// Adds the policy of the application's credential that created the token.
    pub(crate) fn with_policy(mut self, policy: Option<String>) -> Self {
        self.policy = policy;
        self
    }
}

/// An authenticated MCP session.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct McpSession {
    /// Its ID.
    pub session_id: McpSessionId,
    /// Its ID as text.
    pub(crate) name: String,
    /// Client ID of the application that created it. `None` if the operator created it.
    pub client_id: Option<String>,
    /// The application's ID of the user.
    pub identifier: Identifier,
    /// Connections that it can use. It can't see any others.
    pub connections: Connections,
    /// Names of the tools that it can call. An empty list means all.
    pub(crate) tools: Option<BTreeSet<String>>,
    /// Name of the set of tools that its list shows.
    pub(crate) tool_set: String,
    /// Whether its list has output schemas.
    pub output_schemas: bool,
    /// Whether it's read-only.
    pub(crate) read_only: bool,
    /// Form and size of its results.
    pub results: ResultOptions,
    /// URL that the user's browser returns to.
    pub(crate) verify_url: Option<String>,
    /// Current scopes of the creating application's credential. All scopes if the operator created it.
    pub(crate) scopes: Option<Scopes>,
    /// Policies of the session and of the creating application's credential.
    pub(crate) policies: [Option<String>; 2],
}

#[cfg(feature = "platform")]
impl McpSession {
    /// Whether the session can call this tool. `reads` says whether the tool is read-only.
    pub(crate) fn has(&self, tool: &str, reads: bool) -> bool {
        let tools = self.tools.as_ref();
        tools.is_none_or(|tools| tools.contains(tool)) && (reads || !self.read_only)
    }
}

/// A caller, as events and the audit log show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Actor {
    /// `operator`, `member`, `application`, `account_token`, `mcp_session`, `user` or `stead`.
    #[serde(rename = "type")]
    pub kind: String,
    /// ID of the caller: an application's client ID, or the ID of a member, an account token or an MCP session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// For an account token or an MCP session, the client ID of the application that created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
}

impl Actor {
    /// Client ID of the credential that it uses.
    #[cfg(feature = "platform")]
    pub(crate) fn credential(&self) -> Option<&str> {
        match self.kind.as_str() {
            "application" => self.id.as_deref(),
            _ => self.client_id.as_deref(),
        }
    }
}

impl Caller {
    /// An application with this client ID and all scopes.
    #[must_use]
    pub fn application(client_id: impl Into<String>) -> Self {
        Self::limited_application(client_id, Scopes::all(), None)
    }

    /// An application with this client ID, these scopes and this limit of requests per minute.
    #[must_use]
    pub fn limited_application(
        client_id: impl Into<String>,
        scopes: Scopes,
        rate_per_minute: Option<u32>,
    ) -> Self {
        Self::Application(Arc::new(Application {
            client_id: client_id.into(),
            scopes,
            rate_per_minute,
            connections: Connections::ALL,
            policy: None,
        }))
    }

    /// Connections that the caller can see. Account tokens don't have this limit: their accounts limit them.
    pub fn connections(&self) -> &Connections {
        match self {
            Self::Application(application) => &application.connections,
            Self::McpSession(session) => &session.connections,
            _ => &Connections::ALL,
        }
    }

    /// Whether the caller can see the connection with this name.
    pub fn sees(&self, connection_name: &str) -> bool {
        self.connections().have(connection_name)
    }

    /// A member with this role.
    #[must_use]
    pub fn member(member_id: MemberId, role: Role) -> Self {
        Self::Member(Arc::new(Member {
            member_id,
            name: member_id.to_string(),
            role,
            scopes: Scopes::of_role(role),
        }))
    }

    /// Names of the policies of its credential and its session.
    #[cfg(feature = "platform")]
    pub(crate) fn policies(&self) -> [Option<&str>; 2] {
        match self {
            Self::Application(application) => [application.policy.as_deref(), None],
            Self::AccountToken(token) => [token.policy.as_deref(), None],
            Self::McpSession(session) => session.policies.each_ref().map(Option::as_deref),
            _ => [None, None],
        }
    }

    /// Scopes of the caller. `None` allows everything.
    pub fn scopes(&self) -> Option<&Scopes> {
        match self {
            Self::Application(application) => Some(&application.scopes),
            Self::AccountToken(token) => token.scopes.as_ref(),
            Self::McpSession(session) => session.scopes.as_ref(),
            Self::Member(member) => Some(&member.scopes),
            Self::Operator | Self::User | Self::Stead => None,
        }
    }

    /// Rejects a caller if none of its scopes allows this for at least one product.
    ///
    /// # Errors
    /// [`ErrorKind::InsufficientScope`] with the scope.
    pub fn check(&self, name: ScopeName) -> Result<()> {
        match self.scopes() {
            Some(scopes) if !scopes.opens(name) => Err(self.insufficient(&name.scope())),
            _ => Ok(()),
        }
    }

    /// Rejects a caller if none of its scopes allows this for the product.
    ///
    /// # Errors
    /// [`ErrorKind::InsufficientScope`] with the scope.
    pub fn check_for(&self, name: ScopeName, product: &str) -> Result<()> {
        match self.scopes() {
            Some(scopes) if !scopes.opens_for(name, product) => {
                Err(self.insufficient(&name.of(product)))
            }
            _ => Ok(()),
        }
    }

    /// Rejects a caller that lacks one of these scopes, because a caller can't grant a scope that it doesn't have.
    ///
    /// # Errors
    /// [`ErrorKind::InsufficientScope`] with the scope.
    pub fn check_all(&self, others: &Scopes) -> Result<()> {
        match self.scopes().and_then(|scopes| scopes.lacks(others)) {
            Some(lacking) => Err(self.insufficient(lacking)),
            None => Ok(()),
        }
    }

    /// The caller as events and the audit log show it.
    #[must_use]
    pub fn actor(&self) -> Actor {
        Actor {
            kind: self.kind().to_owned(),
            id: self.id().map(str::to_owned),
            client_id: match self {
                Self::AccountToken(_) | Self::McpSession(_) => self.client_id().map(str::to_owned),
                _ => None,
            },
        }
    }

    /// Name of the caller in the history of calls: a client ID. For an account token or an MCP session, it's the client
    /// ID of the application that created it, a slash and its own ID.
    #[must_use]
    pub fn recorded(&self) -> Option<String> {
        let id = self.id()?;
        Some(match self {
            Self::AccountToken(_) | Self::McpSession(_) => match self.client_id() {
                Some(maker) => format!("{maker}/{id}"),
                None => id.to_owned(),
            },
            _ => id.to_owned(),
        })
    }

    /// Type of the caller: `operator`, `member`, `application`, `account_token`, `mcp_session`, `user` or `stead`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Application(_) => "application",
            Self::AccountToken(_) => "account_token",
            Self::McpSession(_) => "mcp_session",
            Self::Member(_) => "member",
            Self::User => "user",
            Self::Stead => "stead",
        }
    }

    /// Client ID of the application whose credential the caller uses. For an account token or an MCP session, that's
    /// the application that created it.
    #[must_use]
    pub fn client_id(&self) -> Option<&str> {
        match self {
            Self::Application(application) => Some(&application.client_id),
            Self::AccountToken(token) => token.client_id.as_deref(),
            Self::McpSession(session) => session.client_id.as_deref(),
            Self::Member(_) | Self::Operator | Self::User | Self::Stead => None,
        }
    }

    /// Key under which running calls are counted. An application shares its limits with its account tokens and MCP
    /// sessions.
    #[must_use]
    pub fn holder(&self) -> Option<&str> {
        self.client_id().or_else(|| self.id())
    }

    /// ID of the caller: an application's client ID, or the ID of a member, an account token or an MCP session.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Application(application) => Some(&application.client_id),
            Self::AccountToken(token) => Some(&token.name),
            Self::McpSession(session) => Some(&session.name),
            Self::Member(member) => Some(&member.name),
            Self::Operator | Self::User | Self::Stead => None,
        }
    }

    fn insufficient(&self, scope: &Scope) -> Error {
        let whose = match self {
            Self::Member(_) => "your role",
            _ => "the bearer token",
        };
        Error::new(
            ErrorKind::InsufficientScope,
            format!("{whose} doesn't have the scope {scope}, which this request needs"),
        )
        .with_required_scopes([scope.to_string()])
    }
}
