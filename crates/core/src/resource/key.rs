//! Keys, as an operator sees them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::state::DataKeyState;

/// The keys of an environment: those that the operator keeps, and those that the store keeps under them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Keys {
    /// Ids of the operator's key ring, as this process has it; the first one wraps new data keys.
    pub ring: Vec<String>,
    /// Data keys, the oldest first.
    pub data_keys: Vec<DataKey>,
}

/// A data key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Rows of the store, and records of the spool, that hold something which it has sealed.
    pub rows: u64,
}

/// How far a re-encryption has come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reencryption {
    /// Rows that were sealed again.
    pub done: u64,
    /// Rows that are still sealed with another key than the active one.
    pub left: u64,
    /// Rows that cannot be sealed again, with the reason. No key that they need can be retired.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedRow>,
}

/// A row that cannot be sealed again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FailedRow {
    /// Table.
    pub table: String,
    /// Its key.
    pub key: String,
    /// Why.
    pub reason: String,
}
