//! Values of a range, as the product returns them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::CellValue;

/// Values of a range (Sheets API, `ValueRange`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ValueRange {
    /// Range in A1 notation.
    pub range: String,
    /// Whether the inner lists are `ROWS` or `COLUMNS`.
    pub major_dimension: Option<String>,
    /// The values. Empty rows and columns at the end are omitted, so the inner lists can differ in length.
    #[serde(default)]
    pub values: Vec<Vec<CellValue>>,
}
