//! Writes values into a range.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Hints, Io, Output, RequiredScopes, Tool},
};

use crate::{CellValue, ValueInputOption, ValueRange, scopes, writing::Writing};

/// Write values into a range of cells.
///
/// `null` doesn't change a cell, and `""` clears it. Cells of the range that get no value don't change. Returns the written
/// range and the number of cells.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct UpdateValues {
    /// Id or URL of the spreadsheet.
    #[schemars(length(min = 1))]
    pub spreadsheet_id: String,
    /// Range in A1 notation, such as `Sheet1!A1:D20` or `'Plan 2026'!B2`. The values must fit into it. A single cell is the
    /// start of the values.
    #[schemars(length(min = 1))]
    pub range: String,
    /// Rows of cells.
    #[setters(required)]
    pub values: Vec<Vec<CellValue>>,
    /// `RAW` when absent: texts stay texts. `USER_ENTERED` parses numbers, dates and formulas as if typed. It executes a
    /// text that begins with `=`, so use it only for texts that you trust.
    pub value_input_option: Option<ValueInputOption>,
    /// Return the values after writing, in `updatedData`.
    pub include_values_in_response: Option<bool>,
}

/// The written range and its size (Sheets API, `UpdateValuesResponse`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UpdatedValues {
    /// Id of the spreadsheet.
    pub spreadsheet_id: String,
    /// Range that was written, in A1 notation.
    pub updated_range: Option<String>,
    /// Number of rows with a written cell.
    #[serde(default)]
    pub updated_rows: u64,
    /// Number of columns with a written cell.
    #[serde(default)]
    pub updated_columns: u64,
    /// Number of written cells.
    #[serde(default)]
    pub updated_cells: u64,
    /// The values after writing; only with `include_values_in_response`.
    pub updated_data: Option<ValueRange>,
}

impl Tool for UpdateValues {
    const NAME: &'static str = "sheets_update_values";
    const EFFECT: Effect = Effect::Write;
    const HINTS: Hints = Hints::REPLACES;
    const SCOPES: RequiredScopes = scopes::WRITE;
    type Output = UpdatedValues;

    fn check(&self) -> Result<()> {
        self.writing().path().map(drop)
    }

    /// Sheets API, `spreadsheets.values.update`. A PUT of fixed values can be repeated.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let writing = self.writing();
        let request = ApiRequest::put(writing.path()?)
            .query("valueInputOption", writing.input.name())
            .query("includeValuesInResponse", self.include_values_in_response)
            .json(&writing.body());
        writing.send(io, request).await
    }
}

impl UpdateValues {
    fn writing(&self) -> Writing<'_> {
        Writing {
            spreadsheet: &self.spreadsheet_id,
            range: &self.range,
            values: &self.values,
            input: self.value_input_option.unwrap_or_default(),
        }
    }
}
