//! Policies in stored form.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Extra, NewAudit, NewEvent};

/// A policy. Its rules are stored as given. A version that doesn't know a rule denies the calls that it applies to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Policy {
    /// Name; primary key.
    pub(crate) name: String,
    /// Whether it applies to every call.
    pub(crate) environment: bool,
    /// Name and rules.
    pub(crate) document: Value,
    /// When it was last set.
    pub(crate) updated_at: Timestamp,
    #[serde(flatten)]
    pub(crate) extra: Extra,
}

impl Policy {
    /// An event about it.
    pub(crate) fn event(&self, name: &'static str) -> NewEvent {
        NewEvent::new(name, json!({ "name": self.name }))
    }

    /// An audit entry about it.
    pub(crate) fn audit(&self, action: &'static str) -> NewAudit {
        NewAudit::new(action, "policy", &self.name).fact("environment", self.environment)
    }
}
