//! Events that applications can read.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Extra;
use crate::{
    caller::Actor,
    identifier::{AccountId, ConnectionId, EventId},
};

/// An event for the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Event {
    /// ID; primary key.
    pub(crate) id: EventId,
    /// Dotted name, such as `account.activated`.
    pub(crate) name: String,
    /// When it happened.
    pub(crate) at: Timestamp,
    /// The caller that caused it, if known.
    #[serde(default)]
    pub(crate) actor: Option<Actor>,
    /// Account, if it's about one.
    pub(crate) account_id: Option<AccountId>,
    /// Facts, without secrets.
    pub(crate) data: Value,
    /// Whether it's removed sooner than others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) short_lived: bool,
    /// Its position in the order of commits, which the store assigns.
    #[serde(skip)]
    pub(crate) position: Option<i64>,
    /// Other members of the stored body, such as those of a newer version.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

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
