//! Reads errors of Google's products.
//!
//! Google's products return errors in two forms, often mixed: `error.errors[].reason` of the older stack, and
//! `error.status` with `error.details[]` of `google.rpc.Status`. The same error has several spellings, and throttling is a
//! 403 as often as a 429. So the reason decides before the status does. Source: Gmail API, "Resolve errors"; Google Cloud
//! API design guide, "Errors".

use serde_json::Value;
use stead_core::{Error, ErrorKind, error::Upstream, tool::Response};

use crate::retry_after::retry_after;

/// Reads the error in a response; `None` below status 400.
pub fn read_error(response: &Response) -> Option<Error> {
    if response.status < 400 {
        return None;
    }
    let body = response.json_or_null();
    // Some frontends wrap the error object in a list.
    let body = body.get(0).unwrap_or(&body);
    let error = &body["error"];
    let message = error["message"]
        .as_str()
        .or(body["error_description"].as_str())
        .unwrap_or_default();
    let reasons = reasons(error);

    let kind = kind(response.status, &reasons);
    let mut upstream = Upstream::new(response.status);
    if let Some(code) = reasons.first() {
        upstream = upstream.with_code(*code);
    }
    if !message.is_empty() {
        upstream = upstream.with_message(message);
    }
    if error.is_object() {
        upstream = upstream.with_details(error.clone());
    }
    let mut read = Error::new(kind, sentence(kind, upstream.message.as_deref()));
    if let Some(after) = retry_after(response, error, message) {
        read = read.with_retry_after(after);
    }
    Some(read.with_upstream(upstream))
}

/// Reasons, the most precise first: `errors[]`, `details[]`, `status`, or the text of an OAuth error.
fn reasons(error: &Value) -> Vec<&str> {
    let listed = |key: &str| {
        error[key]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|item| item["reason"].as_str())
    };
    listed("errors")
        .chain(listed("details"))
        .chain(error["status"].as_str())
        .chain(error.as_str())
        .collect()
}

/// Reasons in lower case without underscores, since both `insufficientPermissions` and `SERVICE_DISABLED` occur.
const BY_REASON: &[(&[&str], ErrorKind)] = &[
    (
        &[
            "insufficientpermissions",
            "insufficientscopes",
            "accesstokenscopeinsufficient",
        ],
        ErrorKind::ScopeMissing,
    ),
    (
        &["accessnotconfigured", "servicedisabled"],
        ErrorKind::ProductNotEnabled,
    ),
    (&["dailylimitexceeded"], ErrorKind::ProductQuotaExhausted),
    (
        &[
            "ratelimitexceeded",
            "userratelimitexceeded",
            "quotaexceeded",
            "resourceexhausted",
        ],
        ErrorKind::ProductRateLimited,
    ),
    (
        &[
            "autherror",
            "unauthenticated",
            "accesstokenexpired",
            "invalidtoken",
        ],
        ErrorKind::ProductRejectedToken,
    ),
    (&["domainpolicy"], ErrorKind::ProductForbidden),
    (
        &[
            "failedprecondition",
            "conditionnotmet",
            "duplicate",
            "conflict",
            "alreadyexists",
            "aborted",
        ],
        ErrorKind::ProductConflict,
    ),
    (&["notfound"], ErrorKind::ProductNotFound),
    (
        &[
            "backenderror",
            "internalerror",
            "unavailable",
            "internal",
            "deadlineexceeded",
        ],
        ErrorKind::ProductUnavailable,
    ),
    (
        &[
            "badrequest",
            "invalid",
            "invalidargument",
            "invalidparameter",
            "parseerror",
            "expiredsynctoken",
        ],
        ErrorKind::ProductInvalidRequest,
    ),
];

fn kind(status: u16, reasons: &[&str]) -> ErrorKind {
    let by_reason = reasons.iter().find_map(|reason| {
        let plain = reason.replace('_', "").to_ascii_lowercase();
        BY_REASON
            .iter()
            .find(|(names, _)| names.contains(&plain.as_str()))
            .map(|(_, kind)| *kind)
    });
    by_reason.unwrap_or(ErrorKind::of_product_status(status))
}

fn sentence(kind: ErrorKind, said: Option<&str>) -> String {
    let own = match kind {
        ErrorKind::ScopeMissing => "the user hasn't granted a scope that this needs",
        ErrorKind::ProductNotEnabled => {
            "the API isn't enabled in the connection's Google Cloud project"
        }
        ErrorKind::ProductQuotaExhausted => "the Google Cloud project has used up its daily quota",
        ErrorKind::ProductRateLimited => "the product throttles this user",
        ErrorKind::ProductRejectedToken => "the product doesn't accept the token",
        ErrorKind::ProductForbidden => "the product doesn't allow the user to do this",
        ErrorKind::ProductConflict => "the product's current state doesn't allow this",
        ErrorKind::ProductNotFound => "the product has no such object, or the user may not see it",
        ErrorKind::ProductTimeout | ErrorKind::ProductUnavailable => "the product failed",
        _ => "the product refuses the request",
    };
    match said {
        Some(said) => format!("{own}: {said}"),
        None => own.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;

    use super::*;

    fn read(status: u16, headers: &[(&'static str, &str)], body: &Value) -> Error {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        read_error(&Response::new(status, headers, body.to_string())).unwrap()
    }

    fn old(status: u16, reason: &str, message: &str) -> ErrorKind {
        let body = json!({"error": {"code": status, "message": message, "errors": [{"reason": reason, "message": message}]}});
        read(status, &[], &body).kind()
    }

    fn new(status: u16, word: &str, reason: &str) -> ErrorKind {
        let details =
            json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}]);
        read(
            status,
            &[],
            &json!({"error": {"code": status, "message": "m", "status": word, "details": details}}),
        )
        .kind()
    }

    #[test]
    fn the_older_shape() {
        use ErrorKind as K;
        for (status, reason, kind) in [
            (400, "invalidArgument", K::ProductInvalidRequest),
            (400, "failedPrecondition", K::ProductConflict),
            (401, "authError", K::ProductRejectedToken),
            (401, "required", K::ProductRejectedToken),
            (403, "insufficientPermissions", K::ScopeMissing),
            (403, "accessNotConfigured", K::ProductNotEnabled),
            (403, "rateLimitExceeded", K::ProductRateLimited),
            (403, "userRateLimitExceeded", K::ProductRateLimited),
            (403, "quotaExceeded", K::ProductRateLimited),
            (403, "dailyLimitExceeded", K::ProductQuotaExhausted),
            (403, "domainPolicy", K::ProductForbidden),
            (403, "forbidden", K::ProductForbidden),
            (404, "notFound", K::ProductNotFound),
            (409, "conflict", K::ProductConflict),
            (412, "conditionNotMet", K::ProductConflict),
            (429, "rateLimitExceeded", K::ProductRateLimited),
            (500, "backendError", K::ProductUnavailable),
        ] {
            assert_eq!(old(status, reason, "message"), kind, "{status} {reason}");
        }
    }

    #[test]
    fn the_newer_shape() {
        use ErrorKind as K;
        for (status, words, kind) in [
            (
                403,
                "PERMISSION_DENIED ACCESS_TOKEN_SCOPE_INSUFFICIENT",
                K::ScopeMissing,
            ),
            (
                403,
                "PERMISSION_DENIED SERVICE_DISABLED",
                K::ProductNotEnabled,
            ),
            (403, "PERMISSION_DENIED", K::ProductForbidden),
            (
                429,
                "RESOURCE_EXHAUSTED RATE_LIMIT_EXCEEDED",
                K::ProductRateLimited,
            ),
            (
                401,
                "UNAUTHENTICATED ACCESS_TOKEN_EXPIRED",
                K::ProductRejectedToken,
            ),
            (400, "INVALID_ARGUMENT", K::ProductInvalidRequest),
            (400, "FAILED_PRECONDITION", K::ProductConflict),
            (404, "NOT_FOUND", K::ProductNotFound),
            (503, "UNAVAILABLE", K::ProductUnavailable),
        ] {
            let (word, reason) = words.split_once(' ').unwrap_or((words, ""));
            assert_eq!(new(status, word, reason), kind, "{status} {word} {reason}");
        }
    }

    #[test]
    fn the_status_decides_without_a_known_reason() {
        use ErrorKind as K;
        for body in [json!(null), json!([]), json!({"error": 7}), json!("<html>")] {
            assert_eq!(read(502, &[], &body).kind(), K::ProductUnavailable);
            assert_eq!(read(401, &[], &body).kind(), K::ProductRejectedToken);
            assert_eq!(read(418, &[], &body).kind(), K::ProductInvalidRequest);
        }
        assert!(read_error(&Response::new(204, HeaderMap::new(), "")).is_none());
    }

    #[test]
    fn an_error_in_a_list_and_an_oauth_error_are_read() {
        let listed = json!([{"error": {"code": 404, "message": "Requested entity was not found.", "status": "NOT_FOUND"}}]);
        let error = read(404, &[], &listed);
        assert_eq!(
            error.upstream().unwrap().message.as_deref(),
            Some("Requested entity was not found.")
        );
        let plain = read(
            401,
            &[],
            &json!({"error": "invalid_token", "error_description": "Token has been revoked."}),
        );
        assert_eq!(plain.kind(), ErrorKind::ProductRejectedToken);
        assert_eq!(
            plain.upstream().unwrap().code.as_deref(),
            Some("invalid_token")
        );
    }

    #[test]
    fn throttling_keeps_its_waiting_time_and_its_text() {
        let text = json!({"error": {"message": "User-rate limit exceeded.  Retry after 2026-05-04T09:00:30.000Z",
            "errors": [{"reason": "rateLimitExceeded"}]}});
        let throttled = read(403, &[("date", "Mon, 04 May 2026 09:00:00 GMT")], &text);
        assert_eq!(throttled.kind(), ErrorKind::ProductRateLimited);
        assert_eq!(
            throttled.retry_after(),
            Some(std::time::Duration::from_secs(30))
        );
        assert!(
            throttled.message().contains("2026-05-04T09:00:30"),
            "{throttled}"
        );
    }
}
