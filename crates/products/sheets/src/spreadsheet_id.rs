//! Spreadsheets by their ids or links.

use stead_core::{Error, Result, error::Violation};

/// The id that `given` is or, as a link of a spreadsheet, contains.
///
/// # Errors
/// A violation at `/spreadsheet_id` for what is neither.
pub(crate) fn spreadsheet_id(given: &str) -> Result<&str> {
    let file = stead_google::named_file(given, &["d"]);
    file.map(|file| file.id).ok_or_else(|| {
        let message = "expected the id of a spreadsheet, or its link such as https://docs.google.com/spreadsheets/d/ID/edit";
        Error::violations(vec![Violation::new("/spreadsheet_id", "format", message)])
    })
}
