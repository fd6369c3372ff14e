//! The errors of the SQL API.
//!
//! Every statement that fails has the status 422, and the code tells why. Codes are texts with leading zeros, so they
//! aren't parsed as numbers. Source: SQL API, "Handling responses", and the result codes in the product's drivers.

use serde_json::Value;
use stead_core::{Error, ErrorKind, error::Upstream, tool::Response};

/// The statement is still running (333333, 333334).
pub(crate) const RUNNING: [&str; 2] = ["333333", "333334"];
/// The statement was cancelled.
pub(crate) const CANCELLED: &str = "000604";
/// The statement isn't running, so it can't be cancelled.
pub(crate) const NOT_EXECUTING: &str = "000605";
/// The statement reached its time limit and was cancelled.
pub(crate) const TIMED_OUT: &str = "000630";
/// The number of statements in the request differs from MULTI_STATEMENT_COUNT.
const WRONG_COUNT: &str = "000008";
/// The product doesn't know a statement with this handle.
pub(crate) const STATEMENT_NOT_FOUND: &str = "000709";
/// The result is too large to return completely.
pub(crate) const RESULT_INCOMPLETE: &str = "391908";

/// Reads the error in a response; `None` below status 400.
pub(crate) fn read_error(response: &Response) -> Option<Error> {
    if response.status < 400 {
        return None;
    }
    let body = response.json_or_null();
    let text = |name: &str| body[name].as_str().unwrap_or_default();
    let kind = kind(response.status, text("code"), text("sqlState"));
    let mut upstream = Upstream::new(response.status);
    if !text("code").is_empty() {
        upstream = upstream.with_code(text("code"));
    }
    if !text("message").is_empty() {
        upstream = upstream.with_message(text("message"));
    }
    if body.is_object() {
        upstream = upstream.with_details(body.clone());
    }
    let mut message = sentence(kind, text("code")).to_owned();
    if let Some(said) = &upstream.message {
        message = format!("{message}: {said}");
    }
    if let Some(hint) = hint(&body) {
        message = format!("{message} ({hint})");
    }
    Some(Error::new(kind, message).with_upstream(upstream))
}

fn kind(status: u16, code: &str, sql_state: &str) -> ErrorKind {
    let by_status = ErrorKind::of_product_status(status);
    if by_status != ErrorKind::ProductInvalidRequest {
        return by_status;
    }
    match (code, sql_state) {
        // The object, the statement, or the request's database or warehouse doesn't exist.
        ("002003" | "002043" | STATEMENT_NOT_FOUND | "390201", _) => ErrorKind::ProductNotFound,
        // The role isn't granted to the user, or lacks a privilege.
        ("390189" | "003001", _) | (_, "42501") => ErrorKind::ProductForbidden,
        (CANCELLED | NOT_EXECUTING | TIMED_OUT | "002002", _) => ErrorKind::ProductConflict,
        _ => ErrorKind::ProductInvalidRequest,
    }
}

fn sentence(kind: ErrorKind, code: &str) -> &'static str {
    match (kind, code) {
        (_, CANCELLED) => "the statement was cancelled",
        (_, TIMED_OUT) => "the statement reached its time limit and was cancelled",
        (ErrorKind::ProductRejectedToken, _) => "the product doesn't accept the token",
        (ErrorKind::ProductForbidden, _) => {
            "the product doesn't allow the user or the role to do this"
        }
        (ErrorKind::ProductNotFound, _) => {
            "the product has no such object, or the role can't see it"
        }
        (ErrorKind::ProductTimeout, _) => "the product gave up waiting",
        (ErrorKind::ProductRateLimited, _) => "the product throttles requests",
        (ErrorKind::ProductUnavailable, _) => "the product failed",
        (ErrorKind::ProductConflict, _) => "the product's current state doesn't allow this",
        _ => "the product refuses the statement",
    }
}

/// A hint, if the product's message doesn't tell what to do.
fn hint(body: &Value) -> Option<&'static str> {
    match body["code"].as_str().unwrap_or_default() {
        "000606" => Some("pass `warehouse`, or set a default warehouse for the user"),
        "002003" | "002043" | "390201" => Some(
            "names are upper-cased unless they're in double quotes, and the role must be able to see the object",
        ),
        "390189" => Some(
            "a token only works for the role that the user authorized; set the connection's `role`, or `any_role` if calls choose the role, and authorize again",
        ),
        WRONG_COUNT => Some(
            "a request runs one statement; to run several, pass `parameters` as {\"MULTI_STATEMENT_COUNT\": \"0\"}",
        ),
        _ => body["message"]
            .as_str()
            .filter(|said| said.contains("returned too much data"))
            .map(|_| "filter by schema and by name"),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;

    use super::*;

    fn read(status: u16, body: &Value) -> Error {
        read_error(&Response::new(status, HeaderMap::new(), body.to_string())).unwrap()
    }

    fn failed(code: &str, sql_state: &str) -> ErrorKind {
        read(
            422,
            &json!({"code": code, "sqlState": sql_state, "message": "m", "statementHandle": "h"}),
        )
        .kind()
    }

    #[test]
    fn codes_become_kinds() {
        use ErrorKind as K;
        for (code, sql_state, kind) in [
            ("001003", "42000", K::ProductInvalidRequest),
            ("000904", "42000", K::ProductInvalidRequest),
            ("002003", "42S02", K::ProductNotFound),
            ("002003", "02000", K::ProductNotFound),
            ("002043", "02000", K::ProductNotFound),
            ("000709", "02000", K::ProductNotFound),
            ("390201", "08004", K::ProductNotFound),
            ("390189", "08004", K::ProductForbidden),
            ("003001", "42501", K::ProductForbidden),
            ("003540", "42501", K::ProductForbidden),
            ("000604", "57014", K::ProductConflict),
            ("000605", "02000", K::ProductConflict),
            ("000630", "57014", K::ProductConflict),
            ("002002", "42710", K::ProductConflict),
            ("000606", "57P03", K::ProductInvalidRequest),
            ("100037", "22018", K::ProductInvalidRequest),
        ] {
            assert_eq!(failed(code, sql_state), kind, "{code} {sql_state}");
        }
    }

    #[test]
    fn the_status_decides_if_it_is_specific() {
        use ErrorKind as K;
        for (status, code, kind) in [
            (400, "390142", K::ProductInvalidRequest),
            (401, "390318", K::ProductRejectedToken),
            (401, "390303", K::ProductRejectedToken),
            (403, "390403", K::ProductForbidden),
            (404, "390404", K::ProductNotFound),
            (405, "390405", K::ProductInvalidRequest),
            (408, "000630", K::ProductTimeout),
            (415, "390415", K::ProductInvalidRequest),
            (429, "390505", K::ProductRateLimited),
            (500, "", K::ProductUnavailable),
            (503, "", K::ProductUnavailable),
            (522, "", K::ProductUnavailable),
        ] {
            assert_eq!(
                read(status, &json!({"code": code})).kind(),
                kind,
                "{status}"
            );
        }
        assert!(read_error(&Response::new(202, HeaderMap::new(), "{}")).is_none());
    }

    #[test]
    fn the_products_words_are_kept_and_explained() {
        let body = json!({"code": "000606", "sqlState": "57P03", "message": "No active warehouse selected in the current session.",
            "statementHandle": "01b2c3d4-0000-0a1b-0000-000100020001"});
        let error = read(422, &body);
        let upstream = error.upstream().unwrap();
        assert_eq!(upstream.code.as_deref(), Some("000606"));
        assert_eq!(upstream.details.as_ref().unwrap(), &body);
        assert!(
            error
                .message()
                .contains("No active warehouse selected in the current session. (pass `warehouse`"),
            "{error}"
        );
        let several = read(
            422,
            &json!({"code": "000008", "sqlState": "0A000", "message": "Actual statement count 2 did not match the desired statement count 1."}),
        );
        assert_eq!(several.kind(), ErrorKind::ProductInvalidRequest);
        assert!(
            several
                .message()
                .contains(r#"{"MULTI_STATEMENT_COUNT": "0"}"#),
            "{several}"
        );
        let wide = read(
            422,
            &json!({"code": "090030", "message": "Information schema query returned too much data. Please repeat query with more selective predicates."}),
        );
        assert!(
            wide.message().ends_with("(filter by schema and by name)"),
            "{wide}"
        );
    }
}
