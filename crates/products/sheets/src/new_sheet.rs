//! A sheet as a new spreadsheet takes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_core::error::Violation;

/// A sheet of a new spreadsheet (Sheets API, `Sheet`). Further members of the product's sheet, such as `data` or
/// `merges`, go along as they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NewSheet {
    /// Short for `properties.title`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Title, size and place of the sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<SheetProperties>,
    /// Everything else.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Properties of a sheet (Sheets API, `SheetProperties`). Further members go along as they are.
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
    /// Place among the sheets, from 0; the end when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<i32>,
    /// Type of the sheet; `GRID` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet_type: Option<SheetType>,
    /// Size of the grid and what of it stays in view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid_properties: Option<GridProperties>,
    /// Whether the sheet is hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// Whether the sheet runs from right to left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right_to_left: Option<bool>,
    /// Everything else.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Properties of a grid (Sheets API, `GridProperties`). Further members go along as they are.
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
    /// Rows at the top that stay in view.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub frozen_row_count: Option<i32>,
    /// Columns at the side that stay in view.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub frozen_column_count: Option<i32>,
    /// Whether the lines of the grid are hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_gridlines: Option<bool>,
    /// Everything else.
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
    /// What is wrong with the sheet at this place of the list.
    pub(crate) fn violation(&self, place: usize) -> Option<Violation> {
        let titled_twice = self.title.is_some()
            && self
                .properties
                .as_ref()
                .is_some_and(|properties| properties.title.is_some());
        titled_twice.then(|| {
            let message = "the title is given twice; leave this one out, or properties.title";
            Violation::new(format!("/sheets/{place}/title"), "format", message)
        })
    }

    /// As the product takes it: the short title among the properties.
    pub(crate) fn to_wire(&self) -> Self {
        let mut sheet = self.clone();
        if let Some(title) = sheet.title.take() {
            sheet.properties.get_or_insert_default().title = Some(title);
        }
        sheet
    }
}
