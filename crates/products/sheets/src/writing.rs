//! Values that a tool writes: the checks before, and the warnings and errors after.

use serde_json::{Value, json};
use stead_core::{
    Result,
    error::Violations,
    tool::{ApiRequest, Io, Output},
};

use crate::{
    CellValue, MajorDimension, ValueInputOption, a1::check_range, looks,
    spreadsheet_id::spreadsheet_id, titles,
};

/// Values to write, as the caller gave them.
pub(crate) struct Writing<'a> {
    /// The id of the spreadsheet, or its link.
    pub(crate) spreadsheet: &'a str,
    pub(crate) range: &'a str,
    pub(crate) values: &'a [Vec<CellValue>],
    pub(crate) input: ValueInputOption,
}

impl Writing<'_> {
    /// The path of the range.
    ///
    /// # Errors
    /// Returns all violations of the input.
    pub(crate) fn path(&self) -> Result<[&str; 3]> {
        let mut violations = Violations::default();
        let id = violations.read(spreadsheet_id(self.spreadsheet));
        violations.read(check_range("/range", self.range));
        self.check_numbers(&mut violations);
        violations.finish()?;
        Ok([id.unwrap_or(self.spreadsheet), "values", self.range])
    }

    /// The body with the values.
    pub(crate) fn body(&self) -> Value {
        json!({ "majorDimension": MajorDimension::Rows, "values": self.values })
    }

    /// Sends the request. Warns of texts that look like other types, and adds the sheets' titles to the error for an unknown
    /// range.
    pub(crate) async fn send(&self, io: Io<'_>, request: ApiRequest) -> Result<Output> {
        let written = match io.send(request).await {
            Ok(response) => Output::from(response),
            Err(error) => {
                let id = spreadsheet_id(self.spreadsheet)?;
                return Err(titles::named(io, id, error).await);
            }
        };
        Ok(match looks::stored_as_text(self.values) {
            Some(message) if self.input == ValueInputOption::Raw => {
                written.warn("stored_as_text", message)
            }
            _ => written,
        })
    }

    /// Refuses numbers that the sheet would change, such as ids.
    fn check_numbers(&self, violations: &mut Violations) {
        for (row, cells) in self.values.iter().enumerate() {
            let cells = cells.iter().enumerate();
            for (column, _) in cells.filter(|(_, cell)| cell.loses_digits()) {
                let message = "a sheet keeps only 15 digits of a number; write it as text";
                violations.add(&format!("/values/{row}/{column}"), "digits", message);
            }
        }
    }
}
