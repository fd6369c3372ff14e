//! Events: what happened, for the application to read.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::identifier::{AccountId, EventId};

/// Something that happened, for the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Id; primary key.
    pub id: EventId,
    /// Dotted name, such as `account.activated`.
    pub name: String,
    /// When.
    pub at: Timestamp,
    /// Account, where it is about one.
    pub account_id: Option<AccountId>,
    /// Facts; no secret.
    pub data: Value,
}
