//! The page below which something new is made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Id;

/// A page as the parent of something new.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageParent {
    /// The page: its id, a hyphenated UUID, or a link to it.
    pub page_id: Id,
}
