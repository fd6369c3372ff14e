//! Either door: the platform in this process, or the client of a service, behind one type.

use std::{fmt, sync::Arc};

use stead_core::Result;

use super::{
    Account, Accounts, Actions, Agent, AppCredentials, Approvals, Audit, Authorizations,
    Connections, Events, Executions, Keys, McpSessions, Members, Policies, Tools, Webhooks,
    backend::{Shared, User},
};

/// The platform in your process or the client of a service, for what should work over both.
///
/// `Platform` and `Client` have the same methods, and turn into this with `into()`.
/// Clones are cheap and share everything.
///
/// ```
/// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> stead::Result<()> {
/// use stead::{Platform, Stead};
///
/// /// What a user has connected, for the settings page of your application.
/// async fn connected(stead: &Stead, user: &str) -> stead::Result<Vec<String>> {
///     let accounts = stead.accounts().identifier(user).list().all().await?;
///     Ok(accounts.into_iter().map(|account| account.product).collect())
/// }
///
/// let platform = Platform::builder("https://stead.example.com").ephemeral_key().in_memory().build().await?;
/// assert!(connected(&platform.into(), "user-42").await?.is_empty());
/// # Ok(())
/// # }
/// # #[cfg(not(all(feature = "platform", feature = "reqwest", feature = "mail")))]
/// # fn main() {}
/// ```
///
/// | To | use |
/// |---|---|
/// | register a product's OAuth client | [`connections`](Self::connections) |
/// | act as one user, or connect one | [`account`](Self::account) |
/// | confirm who came back | [`authorizations`](Self::authorizations) |
/// | see who is connected | [`accounts`](Self::accounts) |
/// | see what happened | [`events`](Self::events) |
/// | see what was called | [`executions`](Self::executions) |
/// | see what can be called | [`tools`](Self::tools) |
/// | be told what happens | [`webhooks`](Self::webhooks) |
/// | see who changed what | [`audit`](Self::audit) |
/// | say who may do what | [`app_credentials`](Self::app_credentials) |
/// | let an agent call tools as a user | [`mcp_sessions`](Self::mcp_sessions) |
/// | say which calls there may be | [`policies`](Self::policies) |
/// | approve calls | [`approvals`](Self::approvals) |
/// | say who may use the dashboard | [`members`](Self::members) |
/// | replace the keys that seal | [`keys`](Self::keys) |
/// | do all of it with plain names | [`actions`](Self::actions) |
#[derive(Clone)]
pub struct Stead(Shared);

impl Stead {
    pub(crate) fn new(backend: Shared) -> Self {
        Self(backend)
    }
    /// The OAuth clients of products.
    pub fn connections(&self) -> Connections {
        Connections::new(Arc::clone(&self.0))
    }
    /// The account of one user at one connection, whether it exists yet or not.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for what cannot be a connection's name or an
    /// identifier. Nothing is looked up.
    pub fn account(&self, connection_name: &str, identifier: &str) -> Result<Account> {
        let user = User::new(connection_name, identifier)?;
        Ok(Account::new(Arc::clone(&self.0), user))
    }
    /// The accounts of all users.
    pub fn accounts(&self) -> Accounts {
        Accounts::new(Arc::clone(&self.0))
    }
    /// The authorizations of users who came back from a product.
    pub fn authorizations(&self) -> Authorizations {
        Authorizations::new(Arc::clone(&self.0))
    }
    /// What happened, in the order in which it was committed.
    pub fn events(&self) -> Events {
        Events::new(Arc::clone(&self.0))
    }
    /// The history of calls.
    pub fn executions(&self) -> Executions {
        Executions::new(Arc::clone(&self.0))
    }
    /// The catalogue of tools.
    pub fn tools(&self) -> Tools {
        Tools::new(Arc::clone(&self.0))
    }
    /// Addresses that get events.
    pub fn webhooks(&self) -> Webhooks {
        Webhooks::new(Arc::clone(&self.0))
    }
    /// Who changed what.
    pub fn audit(&self) -> Audit {
        Audit::new(Arc::clone(&self.0))
    }
    /// The credentials of applications.
    pub fn app_credentials(&self) -> AppCredentials {
        AppCredentials::new(Arc::clone(&self.0))
    }
    /// MCP sessions, each of one user.
    pub fn mcp_sessions(&self) -> McpSessions {
        McpSessions::new(Arc::clone(&self.0))
    }
    /// Which calls there may be, and which wait for a person.
    pub fn policies(&self) -> Policies {
        Policies::new(Arc::clone(&self.0))
    }
    /// Calls that wait for a person.
    pub fn approvals(&self) -> Approvals {
        Approvals::new(Arc::clone(&self.0))
    }
    /// The members of the dashboard.
    pub fn members(&self) -> Members {
        Members::new(Arc::clone(&self.0))
    }
    /// The data keys that seal the store's secrets.
    pub fn keys(&self) -> Keys {
        Keys::new(Arc::clone(&self.0))
    }
    /// Executes what a model asks for as one user.
    pub fn agent(&self, identifier: impl Into<String>) -> Agent {
        Agent::new(Arc::clone(&self.0), identifier)
    }
    /// The same with plain names in place of handles.
    pub fn actions(&self) -> Actions {
        Actions::new(Arc::clone(&self.0))
    }
}

impl fmt::Debug for Stead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stead").finish_non_exhaustive()
    }
}

/// Gives a door the methods of [`Stead`], which it holds as `stead`.
macro_rules! operations {
    ($door:ty) => {
        impl $door {
            /// The OAuth clients of products.
            pub fn connections(&self) -> $crate::Connections {
                self.stead.connections()
            }
            /// The account of one user at one connection, whether it exists yet or not.
            ///
            /// # Errors
            /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for what cannot be a connection's name
            /// or an identifier. Nothing is looked up.
            pub fn account(
                &self,
                connection_name: &str,
                identifier: &str,
            ) -> $crate::Result<$crate::Account> {
                self.stead.account(connection_name, identifier)
            }
            /// The accounts of all users.
            pub fn accounts(&self) -> $crate::Accounts {
                self.stead.accounts()
            }
            /// The authorizations of users who came back from a product.
            pub fn authorizations(&self) -> $crate::Authorizations {
                self.stead.authorizations()
            }
            /// What happened, in the order in which it was committed.
            pub fn events(&self) -> $crate::Events {
                self.stead.events()
            }
            /// The history of calls.
            pub fn executions(&self) -> $crate::Executions {
                self.stead.executions()
            }
            /// The catalogue of tools.
            pub fn tools(&self) -> $crate::Tools {
                self.stead.tools()
            }
            /// Executes what a model asks for as one user.
            pub fn agent(&self, identifier: impl Into<String>) -> $crate::Agent {
                self.stead.agent(identifier)
            }
            /// Addresses that get events.
            pub fn webhooks(&self) -> $crate::Webhooks {
                self.stead.webhooks()
            }
            /// Who changed what.
            pub fn audit(&self) -> $crate::Audit {
                self.stead.audit()
            }
            /// The credentials of applications.
            pub fn app_credentials(&self) -> $crate::AppCredentials {
                self.stead.app_credentials()
            }
            /// MCP sessions, each of one user.
            pub fn mcp_sessions(&self) -> $crate::McpSessions {
                self.stead.mcp_sessions()
            }
            /// Which calls there may be, and which wait for a person.
            pub fn policies(&self) -> $crate::Policies {
                self.stead.policies()
            }
            /// Calls that wait for a person.
            pub fn approvals(&self) -> $crate::Approvals {
                self.stead.approvals()
            }
            /// The members of the dashboard.
            pub fn members(&self) -> $crate::Members {
                self.stead.members()
            }
            /// The data keys that seal the store's secrets.
            pub fn keys(&self) -> $crate::Keys {
                self.stead.keys()
            }
            /// The same with plain names in place of handles.
            pub fn actions(&self) -> $crate::Actions {
                self.stead.actions()
            }
        }

        impl From<$door> for $crate::Stead {
            fn from(door: $door) -> Self {
                door.stead
            }
        }
        impl From<&$door> for $crate::Stead {
            fn from(door: &$door) -> Self {
                door.stead.clone()
            }
        }
    };
}
pub(crate) use operations;
