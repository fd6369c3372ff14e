//! Values of cells.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The value of a cell, to read or to write (Sheets API, `ValueRange.values`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CellValue {
    /// Doesn't change the cell.
    Skip,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// A text; an empty text clears the cell.
    Text(String),
}

impl JsonSchema for CellValue {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("CellValue")
    }

    /// Uses alternatives instead of a list of types: a vendor that supports only one type would lose numbers and booleans.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Text, number or boolean. When you write, null doesn't change the cell, and an empty text clears it.",
            "anyOf": [
                { "type": "string" },
                { "type": "number" },
                { "type": "boolean" },
                { "type": "null", "x-null": true },
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

impl CellValue {
    /// Whether this is a whole number that a sheet would change. From 2^53 on, it keeps 15 digits and replaces the others
    /// by zeros.
    pub(crate) fn loses_digits(&self) -> bool {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let Self::Number(number) = self else {
            return false;
        };
        let is_large = |number: f64| number.abs() >= EXACT && number.fract() == 0.0;
        let written = number.to_string();
        let mantissa = written.split('e').next().unwrap_or_default();
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        number.as_f64().is_some_and(is_large) && digits.trim_end_matches('0').len() > 15
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    #[test]
    fn every_kind_is_read_and_written_unchanged() {
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

    #[test]
    fn long_whole_numbers_lose_digits() {
        let loses = |text: &str| {
            serde_json::from_str::<CellValue>(text)
                .unwrap()
                .loses_digits()
        };
        for number in [
            "9007199254740992",
            "9007199254740993",
            "-9007199254740993",
            "12345678901234567890",
            "12345678901234567890123",
            "1.2345678901234567e30",
        ] {
            assert!(loses(number), "{number}");
        }
        for number in [
            "0",
            "-7",
            "1234567890123456",
            "9007199254740991",
            "0.30000000000000004",
            "1e300",
            "123e20",
            "1000000000000000000000",
            "\"12345678901234567890\"",
            "true",
        ] {
            assert!(!loses(number), "{number}");
        }
    }
}
