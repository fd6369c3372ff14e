//! Cells as they are written.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// What is in a cell, or is written into it (Sheets API, `ValueRange.values`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CellValue {
    /// The cell stays as it is.
    Skip,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// A text; the empty one clears the cell.
    Text(String),
}

impl JsonSchema for CellValue {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("CellValue")
    }

    /// Alternatives and no list of types: a vendor that takes one type would lose numbers and booleans.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Text, number or boolean; where it is written, null leaves the cell as it is and an empty text clears it.",
            "anyOf": [
                { "type": ["string", "null"], "x-null": true },
                { "type": "number" },
                { "type": "boolean" },
            ],
        })
    }
}

impl From<&str> for CellValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for CellValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for CellValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for CellValue {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    #[test]
    fn every_kind_is_read_and_written_as_it_is() {
        for value in [
            json!(null),
            json!(true),
            json!(7),
            json!(2.5),
            json!("a"),
            json!(""),
        ] {
            let cell: CellValue = from_value(value.clone()).unwrap();
            assert_eq!(to_value(&cell).unwrap(), value);
        }
        assert_eq!(
            from_value::<CellValue>(json!(null)).unwrap(),
            CellValue::Skip
        );
        for value in [json!([]), json!({})] {
            assert!(from_value::<CellValue>(value).is_err());
        }
    }
}
