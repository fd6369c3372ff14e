//! What an application sees: connections, accounts, links, tools and executions. The service sends these as JSON,
//! the client reads them, the embedded platform returns them; none holds a secret.

mod account;
mod call;
mod connection;
mod history;
mod tool;

use serde::{Deserialize, Serialize};

pub use account::{
    Account, AccountFilter, AlsoEnded, AuthorizationLink, Disconnected, NewAuthorizationLink,
    Revocation,
};
pub use call::{ExecuteRequest, Execution, ProxyRequest};
pub use connection::{Connection, ConnectionChange, NewConnection};
pub use history::{CallDurations, CallTotals, ExecutionFilter, ExecutionRecord};
pub use tool::{Readiness, ToolDescription, ToolFilter};

pub use crate::state::{
    AccountHealth, AccountReason, AccountState, ConnectionHealth, ConnectionState,
};

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
