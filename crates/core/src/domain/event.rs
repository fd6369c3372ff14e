//! Events: what happened, for the application to read.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::identifier::{AccountId, EventId};

/// Something that happened, for the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Event {
    /// Id; primary key.
    pub(crate) id: EventId,
    /// Dotted name, such as `account.activated`.
    pub(crate) name: String,
    /// When.
    pub(crate) at: Timestamp,
    /// Account, where it is about one.
    pub(crate) account_id: Option<AccountId>,
    /// Facts; no secret.
    pub(crate) data: Value,
}

/// An event as a transition says it; its id and its time come with the commit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NewEvent {
    pub(crate) name: &'static str,
    pub(crate) account_id: Option<AccountId>,
    pub(crate) data: Value,
}
