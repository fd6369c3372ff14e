//! Handles over the platform or a service: what an application holds, the same over both.

mod account;
mod accounts;
mod actions;
mod authorizations;
mod authorize;
pub(crate) mod backend;
mod connections;
mod execute;
mod list;
mod request;
mod stead;
mod tools;

pub use account::{Account, Disconnect};
pub use accounts::Accounts;
pub use actions::Actions;
pub use authorizations::Authorizations;
pub use authorize::Authorize;
pub use connections::Connections;
pub use execute::Execute;
pub use list::List;
pub use request::Request;
pub use stead::Stead;
pub(crate) use stead::operations;
pub use tools::Tools;
