//! Other members of stored bodies, so that an older version of Stead keeps them when it rewrites a row.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of a body, and members that only a newer version of Stead knows. They stay when an entity changes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Extra {
    /// Version of the body. Without it, the version is 1.
    #[serde(rename = "v", default, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<u32>,
    /// Members that this version doesn't know.
    #[serde(flatten)]
    members: Map<String, Value>,
}

impl Extra {
    /// Removes the MAC of an earlier body, which a version without MACs has kept.
    pub(crate) fn without_mac(&mut self) {
        self.members.remove("mac");
    }
}
