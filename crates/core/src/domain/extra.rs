//! What a stored body holds besides the members of its entity, so that an older Stead that rewrites it loses nothing.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of a body, and members that only a newer Stead knows. An entity that changes carries them along.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Extra {
    /// Version of the body; a body without one has version 1.
    #[serde(rename = "v", default, skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<u32>,
    /// Members that this Stead does not know.
    #[serde(flatten)]
    members: Map<String, Value>,
}

impl Extra {
    /// Forgets the MAC of an earlier body, which a Stead that knows none has carried along.
    pub(crate) fn without_mac(&mut self) {
        self.members.remove("mac");
    }
}
