//! A sheet of a new spreadsheet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_core::error::Violation;

/// A sheet of a new spreadsheet (Sheets API, `Sheet`). Other members, such as `data` or `merges`, are passed on unchanged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NewSheet {
    /// Short for `properties.title`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Title, size and position of the sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<SheetProperties>,
    /// Other members.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Properties of a sheet (Sheets API, `SheetProperties`). Other members are passed on unchanged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-brief" = "`{\"title\": \"Plan\", \"index\": 0, \"gridProperties\": {\"rowCount\": 100, \"columnCount\": 9, \"frozenRowCount\": 1}}`."))]
pub struct SheetProperties {
    /// Title, unique within the spreadsheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Id of the sheet; the product chooses one when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub sheet_id: Option<i32>,
    /// Position among the sheets, from 0; the end when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<i32>,
    /// Type of the sheet; `GRID` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet_type: Option<SheetType>,
    /// Size of the grid, and its frozen rows and columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid_properties: Option<GridProperties>,
    /// Whether the sheet is hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// Whether the sheet runs from right to left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right_to_left: Option<bool>,
    /// Other members.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Properties of a grid (Sheets API, `GridProperties`). Other members are passed on unchanged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GridProperties {
    /// Number of rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub row_count: Option<i32>,
    /// Number of columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub column_count: Option<i32>,
    /// Number of frozen rows at the top.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub frozen_row_count: Option<i32>,
    /// Number of frozen columns at the side.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub frozen_column_count: Option<i32>,
    /// Whether the grid lines are hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_gridlines: Option<bool>,
    /// Other members.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Type of a sheet (Sheets API, `SheetType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SheetType {
    /// Cells.
    Grid,
    /// A chart or an image instead of cells.
    Object,
    /// A preview of an external data source.
    DataSource,
}

impl NewSheet {
    /// The fault of the sheet at this position of the list.
    pub(crate) fn violation(&self, place: usize) -> Option<Violation> {
        let titled_twice = self.title.is_some()
            && self
                .properties
                .as_ref()
                .is_some_and(|properties| properties.title.is_some());
        titled_twice.then(|| {
            let message = "the title is given twice; omit this one or properties.title";
            Violation::new(format!("/sheets/{place}/title"), "format", message)
        })
    }

    /// The sheet in the product's form, with the title in `properties`.
    pub(crate) fn to_wire(&self) -> Self {
        let mut sheet = self.clone();
        if let Some(title) = sheet.title.take() {
            sheet.properties.get_or_insert_default().title = Some(title);
        }
        sheet
    }
}
