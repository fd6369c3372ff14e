//! Ids of spreadsheets, as such or within the product's addresses.

use stead_core::{Error, Result, error::Violation};

/// The id that `given` is or, as an address of the product, contains.
///
/// # Errors
/// A violation at `/spreadsheet_id` for an address of the product without an id.
pub(crate) fn spreadsheet_id(given: &str) -> Result<&str> {
    stead_google::id_in_address(given, &["d"]).ok_or_else(|| {
        let message = "this address has no id of a spreadsheet; it looks like https://docs.google.com/spreadsheets/d/ID/edit";
        Error::violations(vec![Violation::new("/spreadsheet_id", "format", message)])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_an_id_is_refused() {
        let address = "https://docs.google.com/spreadsheets/d/1AbC-d_9/edit#gid=0";
        assert_eq!(spreadsheet_id(address).unwrap(), "1AbC-d_9");
        let folder = "https://drive.google.com/drive/folders/1AbC-d_9";
        let error = spreadsheet_id(folder).unwrap_err();
        assert_eq!(error.violation_list()[0].path, "/spreadsheet_id");
    }
}
