//! Options for reading and writing values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Direction of the inner lists (Sheets API, `Dimension`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum MajorDimension {
    /// Each inner list is a row.
    #[default]
    Rows,
    /// Each inner list is a column.
    Columns,
}

impl MajorDimension {
    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rows => "ROWS",
            Self::Columns => "COLUMNS",
        }
    }
}

/// Form of returned values (Sheets API, `ValueRenderOption`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum ValueRenderOption {
    /// Calculated, as the user sees them: `"$1.23"`.
    #[default]
    FormattedValue,
    /// Calculated, without formatting: `1.23`.
    UnformattedValue,
    /// Formulas instead of their results: `"=A1"`.
    Formula,
}

impl ValueRenderOption {
    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FormattedValue => "FORMATTED_VALUE",
            Self::UnformattedValue => "UNFORMATTED_VALUE",
            Self::Formula => "FORMULA",
        }
    }
}

/// Interpretation of written values (Sheets API, `ValueInputOption`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum ValueInputOption {
    /// Stored unchanged: a text stays a text.
    #[default]
    Raw,
    /// Parsed as if the user typed them: texts become numbers, dates and formulas.
    UserEntered,
}

impl ValueInputOption {
    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Raw => "RAW",
            Self::UserEntered => "USER_ENTERED",
        }
    }
}

/// Place of appended values (Sheets API, `InsertDataOption`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
// The descriptions tell a model what each value means.
#[schemars(extend("x-obvious" = true))]
pub enum InsertDataOption {
    /// Into new rows.
    #[default]
    InsertRows,
    /// Into the rows below the table, which can replace cells there.
    Overwrite,
}

impl InsertDataOption {
    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InsertRows => "INSERT_ROWS",
            Self::Overwrite => "OVERWRITE",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::to_value;

    use super::*;

    #[test]
    fn names_on_the_wire_are_those_of_the_schema() {
        for one in [MajorDimension::Rows, MajorDimension::Columns] {
            assert_eq!(to_value(one).unwrap(), one.name());
        }
        for one in [
            ValueRenderOption::FormattedValue,
            ValueRenderOption::UnformattedValue,
            ValueRenderOption::Formula,
        ] {
            assert_eq!(to_value(one).unwrap(), one.name());
        }
        for one in [InsertDataOption::InsertRows, InsertDataOption::Overwrite] {
            assert_eq!(to_value(one).unwrap(), one.name());
        }
        for one in [ValueInputOption::Raw, ValueInputOption::UserEntered] {
            assert_eq!(to_value(one).unwrap(), one.name());
        }
    }
}
