//! The parts of the world that a person can view and change by hand, in one form for all products.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

/// The values of a new record, by field name.
pub(crate) type Values = BTreeMap<String, String>;

/// Records of one kind, such as the mails of a user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Section {
    /// Name, such as `mails`.
    pub name: &'static str,
    /// The title for people.
    pub title: &'static str,
    /// Titles of the cells of a record.
    pub columns: Vec<&'static str>,
    /// The records. The newest comes first if records of this kind have a time.
    pub records: Vec<Record>,
    /// The values that a new record needs.
    pub fields: Vec<Field>,
}

/// One record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Record {
    /// The ID with which you can delete it.
    pub id: String,
    /// A text for each column.
    pub cells: Vec<String>,
}

/// One value of a new record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// The label for people.
    pub label: &'static str,
    /// The value that the form starts with.
    pub value: String,
    /// Whether it has several lines.
    pub is_long: bool,
}

impl Record {
    pub(crate) fn new(id: impl Into<String>, cells: impl IntoIterator<Item = String>) -> Self {
        Self {
            id: id.into(),
            cells: cells.into_iter().collect(),
        }
    }
}

impl Field {
    pub(crate) fn line(name: &'static str, label: &'static str, value: impl Into<String>) -> Self {
        Self {
            name,
            label,
            value: value.into(),
            is_long: false,
        }
    }

    pub(crate) fn text(name: &'static str, label: &'static str, value: impl Into<String>) -> Self {
        Self {
            is_long: true,
            ..Self::line(name, label, value)
        }
    }
}

/// The value of a field. An error if it's missing or empty.
pub(crate) fn value<'v>(values: &'v Values, name: &str) -> Result<&'v str, String> {
    let value = values.get(name).map(|value| value.trim());
    let value = value.filter(|value| !value.is_empty());
    value.ok_or_else(|| format!("{name} is missing"))
}

/// The same as a time.
pub(crate) fn moment(values: &Values, name: &str) -> Result<Timestamp, String> {
    let text = value(values, name)?;
    let wrong = |_| format!("{name} is a time such as 2026-05-05T09:00:00Z");
    text.parse().map_err(wrong)
}

/// The error for a record that doesn't exist.
pub(crate) fn missing(id: &str) -> String {
    format!("there is no record {id}")
}
