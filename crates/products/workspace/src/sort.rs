//! The order of a query's rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::error::Violations;

/// One criterion of order: a property or a time, and a direction (Notion API, "Sort database entries").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sort {
    /// Name or id of the property to sort by; not together with `timestamp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// Time to sort by; not together with `property`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// Which end comes first.
    pub direction: Direction,
}

/// A time that every row has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
// The words say what they mean to a model.
#[schemars(extend("x-obvious" = true))]
pub enum Timestamp {
    /// When the row was made.
    CreatedTime,
    /// When the row was last changed.
    LastEditedTime,
}

/// Which end of an order comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
// The words say what they mean to a model.
#[schemars(extend("x-obvious" = true))]
pub enum Direction {
    /// Smallest or oldest first.
    Ascending,
    /// Largest or newest first.
    Descending,
}

impl Sort {
    /// By a property.
    pub fn by_property(property: impl Into<String>, direction: Direction) -> Self {
        Self {
            property: Some(property.into()),
            timestamp: None,
            direction,
        }
    }

    /// By a time.
    pub fn by_timestamp(timestamp: Timestamp, direction: Direction) -> Self {
        Self {
            property: None,
            timestamp: Some(timestamp),
            direction,
        }
    }
}

/// Each criterion has exactly one of the two.
pub(crate) fn check(sorts: &[Sort], violations: &mut Violations) {
    for (index, sort) in sorts.iter().enumerate() {
        if sort.property.is_some() == sort.timestamp.is_some() {
            let path = format!("/sorts/{index}");
            violations.add(
                &path,
                "oneOf",
                "a sort has exactly one of property and timestamp",
            );
        }
    }
}
