//! Keys, as an operator sees them.

#[cfg(feature = "platform")]
use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_derive::Setters;
#[cfg(feature = "platform")]
use uuid::Uuid;

use crate::{
    ErrorKind::{InvalidTransition, KeyUnavailable, NotFound},
    api::{operations, query, resource},
    scope::ScopeName::KeysManage,
    state::DataKeyState,
};
#[cfg(feature = "platform")]
use crate::{
    domain::Extra,
    identifier::DataKeyId,
    sealed::{Sealed, place},
};

operations! {
    /// Lists data keys and the progress of a re-encryption.
    list: ListKeys { ; query count: KeyCount } -> Keys
        = GET "/v1/keys" { scope: Some(KeysManage) }
    /// Adds a data key without using it yet.
    add: AddKey {} -> DataKey = POST "/v1/keys" { status: 201, scope: Some(KeysManage), audit: &["key.added"] }
    /// Makes a data key active, so new data is encrypted with it.
    activate: ActivateKey { key_id; body how: KeyActivation } -> DataKey
        = POST "/v1/keys/{key_id}/activate" {
            scope: Some(KeysManage), errors: &[NotFound, InvalidTransition], repeatable: true,
            audit: &["key.activated"],
        }
    /// Starts re-encrypting all data with the active data key.
    reencrypt: ReencryptAll {} -> Reencryption
        = POST "/v1/keys/reencrypt" { scope: Some(KeysManage), repeatable: true, audit: &["key.reencrypted"] }
    /// Destroys a data key that no longer encrypts any data.
    retire: RetireKey { key_id } -> DataKey
        = POST "/v1/keys/{key_id}/retire" {
            scope: Some(KeysManage), errors: &[NotFound, InvalidTransition], repeatable: true,
            audit: &["key.retired"],
        }
    /// Encrypts the data keys with the first key of the key ring.
    rewrap: RewrapKeys {} -> Keys
        = POST "/v1/keys/rewrap" {
            scope: Some(KeysManage), errors: &[KeyUnavailable], repeatable: true, audit: &["key.rewrapped"],
        }
}

query! {
    /// Options for listing keys.
    #[derive(Copy)]
    pub struct KeyCount {
        /// Also counts the rows that each key encrypts. This reads every row with a secret.
        pub count_rows: bool,
    }
}

impl KeyCount {
    /// Whether to count the rows.
    pub fn rows(count_rows: bool) -> Self {
        Self { count_rows }
    }
}

/// Keys of an environment: the operator's key ring, and the data keys in the store that it encrypts.
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
    /// IDs of the keys in this process's key ring. The first one encrypts new data keys.
    pub ring: Vec<String>,
    /// Data keys, oldest first.
    pub data_keys: Vec<DataKey>,
    /// Progress of the current or last re-encryption. Absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reencryption: Option<Reencryption>,
}

resource! {
    /// A data key.
    #[schemars(example = json!({
        "key_id": "key_01a2037b04b8700c83c89f211dc3e2d7", "state": "active", "ring_key": "k1",
        "created_at": "2026-11-22T13:38:43Z", "unopened_by": 0,
    }))]
    pub struct DataKey, stored as DataKeyRow,
    shown with (row, activatable_at: Option<Timestamp>, unopened_by: u32, rows: Option<u64>) {
        /// ID.
        pub key_id: String = computed row.id.to_string(),
        private id: DataKeyId,
        /// State.
        pub state: DataKeyState = computed row.state,
        /// Key of the key ring that encrypts it, or encrypted it before it was destroyed. Backups still need that key.
        pub ring_key: String = stored,
        /// The encrypted key. `None` once it's retired.
        private wrapped: Option<Sealed<place::WrappedKey>>,
        #[serde(default)]
        private state: DataKeyState,
        /// When it was created.
        pub created_at: Timestamp = stored,
        /// When you can activate it. Present while it is only added.
        pub activatable_at: Option<Timestamp> = computed activatable_at,
        /// When it last became active. Absent for the first key of a store.
        pub activated_at: Option<Timestamp> = stored #[serde(default, skip_serializing_if = "Option::is_none")],
        /// When it was destroyed.
        pub retired_at: Option<Timestamp> = stored #[serde(default, skip_serializing_if = "Option::is_none")],
        /// Processes that recently couldn't decrypt it. Present while it is only added.
        pub unopened_by: u32 = computed unopened_by,
        /// Processes that couldn't decrypt it while it was being added, each with the time of its last report.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        private unopened_by: BTreeMap<Uuid, Timestamp>,
        /// Rows of the store and records of the spool that it encrypts. Absent if they weren't counted.
        pub rows: Option<u64> = computed rows,
        /// When the first process with MACs for rows ran, if the store is older than MACs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private upgraded_at: Option<Timestamp>,
        /// Since when rows need a MAC. Bound into the encryption of `wrapped`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        private authenticates_rows_since: Option<Timestamp>,
        /// Other members of the stored body, such as those of a newer version.
        #[serde(flatten)]
        private extra: Extra,
    }
}

/// Options for activating a data key.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters,
)]
#[schemars(example = KeyActivation::default().at_once(true))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct KeyActivation {
    /// Skips the minute in which every process tries to decrypt a new key. Use it only if no other process has the
    /// store open.
    #[serde(default)]
    pub at_once: bool,
}

resource! {
    /// Progress of a re-encryption.
    #[derive(Default, Eq)]
    #[schemars(example = json!({ "running": true, "done": 0, "left": 0 }))]
    pub struct Reencryption, stored as #[derive(Default)] ReencryptionProgress, shown with (row) {
        /// Whether it's running in the background.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub running: bool = stored,
        /// Rows that were re-encrypted.
        pub done: u64 = stored,
        /// Rows that are still encrypted with a key that isn't active.
        pub left: u64 = stored,
        /// Rows that can't be re-encrypted, with the reason. You can't retire a key that they need.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub failed: Vec<FailedRow> = stored,
        /// Why it stopped early. The next re-encryption continues it.
        pub stopped: Option<String> = stored,
    }
}

/// A row that can't be re-encrypted.
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
