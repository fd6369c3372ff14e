//! Sort order of rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::error::Violations;

/// A sort criterion: a property or a time, and a direction (Notion API, "Sort database entries").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sort {
    /// Name or id of the property to sort by; not together with `timestamp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// Time to sort by; not together with `property`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// Sort direction.
    pub direction: Direction,
}

/// A time that every row has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum Timestamp {
    /// When the row was created.
    CreatedTime,
    /// When the row was last changed.
    LastEditedTime,
}

/// Sort direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum Direction {
    /// Smallest or oldest first.
    Ascending,
    /// Largest or newest first.
    Descending,
}

impl Sort {
    /// Sorts by a property.
    pub fn by_property(property: impl Into<String>, direction: Direction) -> Self {
        Self {
            property: Some(property.into()),
            timestamp: None,
            direction,
        }
    }

    /// Sorts by a time.
    pub fn by_timestamp(timestamp: Timestamp, direction: Direction) -> Self {
        Self {
            property: None,
            timestamp: Some(timestamp),
            direction,
        }
    }
}

/// Checks that each criterion has a property or a time, not both.
pub(crate) fn check(sorts: &[Sort], violations: &mut Violations) {
    for (index, sort) in sorts.iter().enumerate() {
        if sort.property.is_some() == sort.timestamp.is_some() {
            let path = format!("/sorts/{index}");
            violations.add(
                &path,
                "oneOf",
                "a sort needs exactly one of property and timestamp",
            );
        }
    }
}
