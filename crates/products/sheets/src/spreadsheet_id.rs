//! Spreadsheets, by id or link.

use stead_core::{Error, Result, error::Violation};

/// The id of a spreadsheet. `given` is the id, or a link that contains it.
///
/// # Errors
/// Returns a violation at `/spreadsheet_id` if it's neither.
pub(crate) fn spreadsheet_id(given: &str) -> Result<&str> {
    let file = stead_google::named_file(given, &["d"]);
    file.map(|file| file.id).ok_or_else(|| {
        let message = "expected the id of a spreadsheet, or its link such as https://docs.google.com/spreadsheets/d/ID/edit";
        Error::violations(vec![Violation::new("/spreadsheet_id", "format", message)])
    })
}
