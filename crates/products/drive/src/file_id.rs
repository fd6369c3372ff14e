//! Ids of files, as such or within the product's addresses.

use stead_core::{Error, Result, error::Violation};

/// The id that `given` is or, as an address of the product, contains.
///
/// # Errors
/// A violation at `/file_id` for an address of the product without an id.
pub(crate) fn file_id(given: &str) -> Result<&str> {
    stead_google::id_in_address(given, &["d", "folders"]).ok_or_else(|| {
        let message = "this address has no id of a file; it looks like https://drive.google.com/file/d/ID/view";
        Error::violations(vec![Violation::new("/file_id", "format", message)])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_an_id_is_refused() {
        let folder = "https://drive.google.com/drive/folders/1AbC-d_9";
        assert_eq!(file_id(folder).unwrap(), "1AbC-d_9");
        let error = file_id("https://drive.google.com/drive/my-drive").unwrap_err();
        assert_eq!(error.violation_list()[0].path, "/file_id");
    }
}
