//! Events: what happened, for the application to read.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Extra;
use crate::{
    caller::Actor,
    identifier::{AccountId, ConnectionId, EventId},
};

/// Something that happened, for the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Event {
    /// Id; primary key.
    pub(crate) id: EventId,
    /// Dotted name, such as `account.activated`.
    pub(crate) name: String,
    /// When.
    pub(crate) at: Timestamp,
    /// Who caused it, where that is known.
    #[serde(default)]
    pub(crate) actor: Option<Actor>,
    /// Account, where it is about one.
    pub(crate) account_id: Option<AccountId>,
    /// Facts; no secret.
    pub(crate) data: Value,
    /// Whether it goes sooner than others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) short_lived: bool,
    /// Its place in the order of commits, which the store gives.
    #[serde(skip)]
    pub(crate) position: Option<i64>,
    /// What else its stored body holds.
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

/// An event as a transition says it; its id and its time come with the commit, and so do names that follow from ids.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewEvent {
    /// A name of the table of types.
    pub(crate) name: &'static str,
    pub(crate) account_id: Option<AccountId>,
    /// Connection, where it is about one whose name `data` does not say.
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

    /// With one more fact.
    pub(crate) fn with(mut self, member: &str, fact: impl Serialize) -> Self {
        self.data[member] = serde_json::json!(fact);
        self
    }
}
