//! A page that contains a new object.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Id;

/// A page as the parent of a new object.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
// The product's examples and objects have a redundant `type`.
#[schemars(extend("x-ignored" = ["type"]))]
pub struct PageParent {
    /// Id or URL of the page.
    pub page_id: Id,
}
