//! The entities of the platform and their transitions. What is stored is what is here: secrets are sealed or digests.

pub(crate) mod account;
pub(crate) mod app_credential;
pub(crate) mod authorization;
pub(crate) mod connection;
pub(crate) mod credential;
pub(crate) mod data_key;
pub(crate) mod event;
pub(crate) mod execution;
pub(crate) mod lease;
pub(crate) mod outbox;

pub use account::{Account, Subject};
pub use app_credential::{AccessToken, AppCredential};
pub use authorization::{Authorization, AuthorizationState, EndpointSnapshot, PendingCredential};
pub use connection::Connection;
pub use credential::Credential;
pub use data_key::DataKey;
pub use event::Event;
pub use execution::Execution;
pub use lease::Lease;
pub use outbox::{OutboxEntry, OutboxTask};
