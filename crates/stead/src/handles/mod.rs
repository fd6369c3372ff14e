//! An application's handles, the same for the platform and for a service.

mod account;
mod accounts;
mod actions;
mod agent;
mod authorizations;
mod authorize;
mod connections;
mod events;
mod execute;
mod executions;
mod list;
mod request;
mod stead;
mod tools;
mod webhooks;

pub use account::{Account, Disconnect};
pub use accounts::Accounts;
pub use actions::Actions;
pub use agent::Agent;
pub use authorizations::Authorizations;
pub use authorize::Authorize;
pub use connections::Connections;
pub use events::Events;
pub use execute::Execute;
pub use executions::Executions;
pub use list::List;
pub use request::Request;
pub use stead::Stead;
pub(crate) use stead::operations;
pub use tools::Tools;
pub use webhooks::Webhooks;
