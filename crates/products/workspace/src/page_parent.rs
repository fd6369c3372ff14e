//! The page below which something new is made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Id;

/// A page as the parent of something new.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
// The product's own examples and objects say by `type` what the one member says.
#[schemars(extend("x-ignored" = ["type"]))]
pub struct PageParent {
    /// Id or URL of the page.
    pub page_id: Id,
}
