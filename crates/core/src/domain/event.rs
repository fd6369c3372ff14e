//! Events that applications can read.

use serde::Serialize;
use serde_json::Value;

use crate::identifier::{AccountId, ConnectionId};
pub(crate) use crate::resource::event::EventRow as Event;

/// An event from a transition. The commit adds its ID and time, and names that follow from IDs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewEvent {
    /// Name of an event type.
    pub(crate) name: &'static str,
    pub(crate) account_id: Option<AccountId>,
    /// Connection, if the event is about one and `data` doesn't have its name.
    pub(crate) connection_id: Option<ConnectionId>,
    pub(crate) data: Value,
}

impl NewEvent {
    /// An event with these facts.
    pub(crate) fn new(name: &'static str, data: Value) -> Self {
        Self {
            name,
            account_id: None,
            connection_id: None,
            data,
        }
    }

    /// About an account.
    pub(crate) fn of_account(self, account: AccountId, connection: ConnectionId) -> Self {
        Self {
            account_id: Some(account),
            connection_id: Some(connection),
            ..self
        }
    }

    /// Adds a fact.
    pub(crate) fn with(mut self, member: &str, fact: impl Serialize) -> Self {
        self.data[member] = serde_json::json!(fact);
        self
    }
}
