//! Adds rows below a table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Hints, Io, Output, RequiredScopes, Tool},
};

use super::UpdatedValues;
use crate::{CellValue, InsertDataOption, ValueInputOption, scopes, writing::Writing};

/// Add rows below a table.
///
/// Google looks for the table in `range`: the last block of filled cells there. An empty row ends a block. So check
/// `tableRange` and `updatedRange` in the result. A second call adds the rows again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct AppendValues {
    /// Id or URL of the spreadsheet.
    #[schemars(length(min = 1))]
    pub spreadsheet_id: String,
    /// Range that contains the table, in A1 notation: a cell of the table such as `Sheet1!A1`, or a sheet's title. Without a
    /// table, the rows start at the first cell of the range.
    #[schemars(length(min = 1))]
    pub range: String,
    /// Rows of cells, from the table's first column on.
    #[setters(required)]
    pub values: Vec<Vec<CellValue>>,
    /// `RAW` when absent: texts stay texts. `USER_ENTERED` parses numbers, dates and formulas as if typed. It executes a
    /// text that begins with `=`, so use it only for texts that you trust.
    pub value_input_option: Option<ValueInputOption>,
    /// `INSERT_ROWS` when absent: inserts new rows below the table. `OVERWRITE` replaces cells that are already there.
    pub insert_data_option: Option<InsertDataOption>,
    /// Return the values after writing, in `updates.updatedData`.
    pub include_values_in_response: Option<bool>,
}

/// The table and the added rows (Sheets API, `AppendValuesResponse`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AppendedValues {
    /// Id of the spreadsheet.
    pub spreadsheet_id: String,
    /// The table before the call, in A1 notation. Absent if there was none.
    pub table_range: Option<String>,
    /// The added cells.
    pub updates: UpdatedValues,
}

impl Tool for AppendValues {
    const NAME: &'static str = "sheets_append_values";
    const EFFECT: Effect = Effect::Write;
    // `OVERWRITE` replaces cells, and a second call adds the rows again.
    const HINTS: Hints = Hints::ANYTHING;
    const SCOPES: RequiredScopes = scopes::WRITE;
    type Output = AppendedValues;

    fn check(&self) -> Result<()> {
        self.writing().path().map(drop)
    }

    /// Sheets API, `spreadsheets.values.append`. The product doesn't recognise a repeat.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let writing = self.writing();
        // The API's own default replaces cells below the table.
        let insert = self.insert_data_option.unwrap_or_default();
        let request = ApiRequest::post(writing.path()?)
            .verb("append")
            .query("valueInputOption", writing.input.name())
            .query("insertDataOption", insert.name())
            .query("includeValuesInResponse", self.include_values_in_response)
            .json(&writing.body());
        writing.send(io, request).await
    }
}

impl AppendValues {
    fn writing(&self) -> Writing<'_> {
        Writing {
            spreadsheet: &self.spreadsheet_id,
            range: &self.range,
            values: &self.values,
            input: self.value_input_option.unwrap_or_default(),
        }
    }
}
