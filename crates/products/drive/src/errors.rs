//! The Drive API's errors that Google's products don't share.

use serde_json::Value;
use stead_core::{Error, tool::Response};

/// Reads the error in a response; `None` if there isn't one.
pub(crate) fn read_error(response: &Response) -> Option<Error> {
    let error = stead_google::read_error(response)?;
    let Some(upstream) = error.upstream() else {
        return Some(error);
    };
    let said = upstream.message.as_deref().unwrap_or_default();
    let advice = match (response.status, place(upstream.details.as_ref())) {
        (400, Some("q")) => {
            "the product can't parse the query; put texts in single quotes, and a backslash before each quote or backslash in them"
        }
        (400, Some("pageToken")) => "the page token has expired; start again with the first page",
        (404, _) if said.starts_with("File not found") => {
            "the file doesn't exist, or the user can't see it; for a file in a shared drive, set supports_all_drives"
        }
        _ => return Some(error),
    };
    let message = format!("{advice}: {said}");
    Some(error.clone().reclassify(error.kind(), message))
}

/// The parameter that the error is about (`error.errors[].location`).
fn place(details: Option<&Value>) -> Option<&str> {
    details?["errors"][0]["location"].as_str()
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;
    use stead_core::ErrorKind;

    use super::*;

    fn read(status: u16, reason: &str, message: &str, location: &str) -> Error {
        let one = json!({"domain": "global", "reason": reason, "message": message, "locationType": "parameter", "location": location});
        let body = json!({"error": {"code": status, "message": message, "errors": [one]}});
        read_error(&Response::new(status, HeaderMap::new(), body.to_string())).unwrap()
    }

    #[test]
    fn the_place_of_a_refusal_is_explained() {
        for (location, says) in [("q", "single quotes"), ("pageToken", "first page")] {
            let error = read(400, "invalid", "Invalid Value", location);
            assert_eq!(error.kind(), ErrorKind::ProductInvalidRequest);
            assert!(error.message().contains(says), "{error}");
            assert_eq!(error.upstream().unwrap().status, 400);
        }
        let error = read(400, "invalid", "Invalid Value", "corpora");
        assert!(
            error
                .message()
                .ends_with("refuses the request: Invalid Value"),
            "{error}"
        );
    }

    #[test]
    fn a_missing_file_may_be_one_of_a_shared_drive() {
        let error = read(404, "notFound", "File not found: 1x.", "fileId");
        assert_eq!(error.kind(), ErrorKind::ProductNotFound);
        assert!(error.message().contains("supports_all_drives"), "{error}");
        assert!(read_error(&Response::new(200, HeaderMap::new(), "{}")).is_none());
    }
}
