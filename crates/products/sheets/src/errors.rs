//! The Sheets API's errors that Google's products don't share.

use stead_core::{Error, ErrorKind, tool::Response};

use crate::titles::NO_RANGE;

/// Reads the error in a response; `None` if there isn't one.
pub(crate) fn read_error(response: &Response) -> Option<Error> {
    let error = stead_google::read_error(response)?;
    let said = error.upstream()?.message.clone().unwrap_or_default();
    Some(if said.contains("must not be an Office file") {
        let message = "the API can't read uploaded Office files; open the file, choose \"Save as Google Sheets\", and use the id of the copy";
        error.reclassify(ErrorKind::ProductConflict, format!("{message}: {said}"))
    } else if said.contains(NO_RANGE) {
        let message = "the spreadsheet has no such range; check the sheet's title, and put it in quotes if it has spaces or other special characters: 'Plan 2026'!A1:B2";
        error.reclassify(
            ErrorKind::ProductInvalidRequest,
            format!("{message}: {said}"),
        )
    } else {
        error
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;

    use super::*;

    fn read(status: &str, message: &str) -> Error {
        let body = json!({"error": {"code": 400, "message": message, "status": status}});
        read_error(&Response::new(400, HeaderMap::new(), body.to_string())).unwrap()
    }

    #[test]
    fn an_office_file_is_explained() {
        let said = "This operation is not supported for this document. The document must not be an Office file.";
        let error = read("FAILED_PRECONDITION", said);
        assert_eq!(error.kind(), ErrorKind::ProductConflict);
        assert!(error.message().contains("Save as Google Sheets"), "{error}");
        assert_eq!(error.upstream().unwrap().message.as_deref(), Some(said));
    }

    #[test]
    fn an_unknown_range_is_explained() {
        let error = read("INVALID_ARGUMENT", "Unable to parse range: Nope!A1");
        assert_eq!(error.kind(), ErrorKind::ProductInvalidRequest);
        assert!(error.message().contains("quotes"), "{error}");
        assert_eq!(error.upstream().unwrap().status, 400);
    }

    #[test]
    fn other_errors_are_googles() {
        let error = read("INVALID_ARGUMENT", "Invalid value at 'value_input_option'");
        assert_eq!(error.kind(), ErrorKind::ProductInvalidRequest);
        assert!(!error.message().contains("quotes"), "{error}");
        assert!(read_error(&Response::new(200, HeaderMap::new(), "{}")).is_none());
    }
}
