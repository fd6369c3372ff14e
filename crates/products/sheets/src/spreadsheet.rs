//! A spreadsheet, as the product returns it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A spreadsheet (Sheets API, `Spreadsheet`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Spreadsheet {
    /// Id of the spreadsheet.
    pub spreadsheet_id: String,
    /// Link to the spreadsheet.
    pub spreadsheet_url: Option<String>,
    /// Title, locale and time zone.
    pub properties: Option<SpreadsheetProperties>,
    /// The sheets in order.
    #[serde(default)]
    pub sheets: Vec<Sheet>,
    /// The named ranges.
    #[serde(default)]
    pub named_ranges: Vec<NamedRange>,
}

/// Properties of a spreadsheet (Sheets API, `SpreadsheetProperties`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SpreadsheetProperties {
    /// Title of the spreadsheet.
    pub title: Option<String>,
    /// Locale for numbers and dates, such as `en_US`.
    pub locale: Option<String>,
    /// IANA name of the time zone.
    pub time_zone: Option<String>,
}

/// A sheet (Sheets API, `Sheet`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Sheet {
    /// Id, title, position and size of the sheet.
    pub properties: Option<SheetInfo>,
    /// Cells with values, formulas and formats (Sheets API, `GridData`), one item for each range; only with
    /// `include_grid_data`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<Map<String, Value>>,
}

/// Properties of a sheet (Sheets API, `SheetProperties`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SheetInfo {
    /// Id of the sheet.
    pub sheet_id: Option<i64>,
    /// Title of the sheet.
    pub title: Option<String>,
    /// Position among the sheets, from 0.
    pub index: Option<i64>,
    /// `GRID`, `OBJECT` or `DATA_SOURCE`.
    pub sheet_type: Option<String>,
    /// Size of the grid.
    pub grid_properties: Option<GridSize>,
    /// Whether the sheet is hidden.
    pub hidden: Option<bool>,
}

/// Size of a grid (Sheets API, `GridProperties`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GridSize {
    /// Number of rows.
    pub row_count: Option<u64>,
    /// Number of columns.
    pub column_count: Option<u64>,
}

/// A named range (Sheets API, `NamedRange`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NamedRange {
    /// Id of the named range.
    pub named_range_id: Option<String>,
    /// Name of the range.
    pub name: Option<String>,
    /// Its cells (Sheets API, `GridRange`): rows and columns from 0, without the end.
    pub range: Option<Map<String, Value>>,
}
