//! One type for the platform in this process and the client of a service.

use std::fmt;

use stead_core::{Result, resource::Page};

use crate::Operation;

use super::{
    Account, Accounts, Actions, Agent, Authorizations, Connections, Events, Executions, List,
    Tools, Webhooks,
};
use crate::backend::{Backend, User};

/// The platform in your process, or the client of a service. Use it for code that should work with both.
///
/// `Platform` and `Client` have the same methods, and convert into this with `into()`. Clones are cheap and share
/// everything.
///
/// ```
/// # #[cfg(all(feature = "platform", feature = "reqwest", feature = "mail"))]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> stead::Result<()> {
/// use stead::{Platform, Stead};
///
/// /// The products that a user has connected, for the settings page of your application.
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
/// | do anything else | [`send`](Self::send) and [`list`](Self::list) |
/// | do it with plain names | [`actions`](Self::actions) |
#[derive(Clone)]
pub struct Stead(Backend);

impl Stead {
    pub(crate) fn new(backend: Backend) -> Self {
        Self(backend)
    }
    /// Runs an operation, such as [`ReadWebhook`](crate::resource::ReadWebhook).
    ///
    /// # Errors
    /// The errors that its [`Info`](stead_core::api::Info) lists.
    pub async fn send<O: Operation>(&self, operation: O) -> Result<O::Output> {
        self.0.send(operation).await
    }
    /// The list that an operation such as [`ListWebhooks`](crate::resource::ListWebhooks) reads. You can read it page
    /// by page or as a whole.
    pub fn list<O, T>(&self, operation: O) -> List<T>
    where
        O: Operation<Output = Page<T>> + Clone,
        T: Send + 'static,
    {
        List::of(self.0.clone(), operation)
    }
    /// The OAuth clients of products.
    pub fn connections(&self) -> Connections {
        Connections::new(self.0.clone())
    }
    /// The account of one user at one connection, whether it exists yet or not.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for an invalid connection name or identifier.
    /// The store isn't asked.
    pub fn account(&self, connection_name: &str, identifier: &str) -> Result<Account> {
        let user = User::new(connection_name, identifier)?;
        Ok(Account::new(self.0.clone(), user))
    }
    /// The accounts of all users.
    pub fn accounts(&self) -> Accounts {
        Accounts::new(self.0.clone())
    }
    /// The authorizations of users who came back from a product.
    pub fn authorizations(&self) -> Authorizations {
        Authorizations::new(self.0.clone())
    }
    /// Events, in the order of their commits.
    pub fn events(&self) -> Events {
        Events::new(self.0.clone())
    }
    /// The history of calls.
    pub fn executions(&self) -> Executions {
        Executions::new(self.0.clone())
    }
    /// The catalogue of tools.
    pub fn tools(&self) -> Tools {
        Tools::new(self.0.clone())
    }
    /// Webhooks: addresses of your application that receive events.
    pub fn webhooks(&self) -> Webhooks {
        Webhooks::new(self.0.clone())
    }
    /// Runs a model's tool calls as one user.
    pub fn agent(&self, identifier: impl Into<String>) -> Agent {
        Agent::new(self.0.clone(), identifier)
    }
    /// The same actions with plain names instead of handles.
    pub fn actions(&self) -> Actions {
        Actions::new(self.0.clone())
    }
}

impl fmt::Debug for Stead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stead").finish_non_exhaustive()
    }
}

/// Gives `Platform` or `Client` the methods of [`Stead`], which it has in its field `stead`.
macro_rules! operations {
    ($door:ty) => {
        impl $door {
            /// Runs an operation, such as [`ReadWebhook`](crate::resource::ReadWebhook).
            ///
            /// # Errors
            /// The errors that its [`Info`](stead_core::api::Info) lists.
            pub async fn send<O: $crate::Operation>(
                &self,
                operation: O,
            ) -> $crate::Result<O::Output> {
                self.stead.send(operation).await
            }
            /// The list that an operation such as [`ListWebhooks`](crate::resource::ListWebhooks) reads. You can read
            /// it page by page or as a whole.
            pub fn list<O, T>(&self, operation: O) -> $crate::List<T>
            where
                O: $crate::Operation<Output = $crate::resource::Page<T>> + Clone,
                T: Send + 'static,
            {
                self.stead.list(operation)
            }
            /// The OAuth clients of products.
            pub fn connections(&self) -> $crate::Connections {
                self.stead.connections()
            }
            /// The account of one user at one connection, whether it exists yet or not.
            ///
            /// # Errors
            /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) for an invalid connection name or
            /// identifier. The store isn't asked.
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
            /// Events, in the order of their commits.
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
            /// Runs a model's tool calls as one user.
            pub fn agent(&self, identifier: impl Into<String>) -> $crate::Agent {
                self.stead.agent(identifier)
            }
            /// Webhooks: addresses of your application that receive events.
            pub fn webhooks(&self) -> $crate::Webhooks {
                self.stead.webhooks()
            }
            /// The same actions with plain names instead of handles.
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
