//! Keys, as an operator sees them.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::state::DataKeyState;

/// The keys of an environment: those that the operator keeps, and those that the store keeps under them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "ring": ["k1"],
    "data_keys": [{
        "key_id": "key_01a2037b04b8700c83c89f211dc3e2d7", "state": "active", "ring_key": "k1",
        "created_at": "2026-11-22T13:38:43Z", "unopened_by": 0,
    }],
}))]
#[non_exhaustive]
pub struct Keys {
    /// Ids of the operator's key ring, as this process has it; the first one wraps new data keys.
    pub ring: Vec<String>,
    /// Data keys, the oldest first.
    pub data_keys: Vec<DataKey>,
    /// How far the re-encryption has come that is under way, or was the last one; absent where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reencryption: Option<Reencryption>,
}

/// A data key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "key_id": "key_01a2037b04b8700c83c89f211dc3e2d7", "state": "active", "ring_key": "k1",
    "created_at": "2026-11-22T13:38:43Z", "unopened_by": 0,
}))]
#[non_exhaustive]
pub struct DataKey {
    /// Id.
    pub key_id: String,
    /// State.
    pub state: DataKeyState,
    /// Key of the ring that wraps it, or wrapped it until it was destroyed: backups still need that one.
    pub ring_key: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it can be activated, while it is only added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activatable_at: Option<Timestamp>,
    /// When it last became the active one; absent for the first key of a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activated_at: Option<Timestamp>,
    /// When it was destroyed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<Timestamp>,
    /// Processes that lately could not open it, while it is only added.
    pub unopened_by: u32,
    /// Rows of the store, and records of the spool, that hold something which it has sealed; absent where they were not
    /// counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
}

/// How a data key is activated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = KeyActivation::default().at_once(true))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct KeyActivation {
    /// Without the minute in which every process tries to open a new key: only where no other process has the store open.
    #[serde(default)]
    pub at_once: bool,
}

impl KeyActivation {
    /// Whether a new key does not wait for other processes.
    #[must_use]
    pub fn at_once(mut self, at_once: bool) -> Self {
        self.at_once = at_once;
        self
    }
}

/// How far a re-encryption has come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({ "running": true, "done": 0, "left": 0 }))]
#[non_exhaustive]
pub struct Reencryption {
    /// Whether it goes on in the background.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub running: bool,
    /// Rows that were sealed again.
    pub done: u64,
    /// Rows that are still sealed with another key than the active one.
    pub left: u64,
    /// Rows that cannot be sealed again, with the reason. No key that they need can be retired.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedRow>,
    /// Why it ended before its end; the next one goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// A row that cannot be sealed again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FailedRow {
    /// Table.
    pub table: String,
    /// Its key.
    pub key: String,
    /// Why.
    pub reason: String,
}
