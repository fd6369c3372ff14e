//! The Calendar API's errors that Google's products don't share.

use stead_core::{Error, ErrorKind, tool::Response};

/// Reads the error in a response; `None` if there isn't one.
///
/// Source: Calendar API, "Handle API errors".
pub(crate) fn read_error(response: &Response) -> Option<Error> {
    let error = stead_google::read_error(response)?;
    let code = error.upstream().and_then(|upstream| upstream.code.clone());
    Some(match code.as_deref() {
        Some("fullSyncRequired") => error.reclassify(
            ErrorKind::ResultExpired,
            "this sync token has expired; list again without it",
        ),
        Some("updatedMinTooLongAgo") => error.reclassify(
            ErrorKind::ProductInvalidRequest,
            "the product keeps changes for about 30 days only; use a later time",
        ),
        // These limits protect against abuse and last for hours, unlike the quota per minute.
        Some("quotaExceeded" | "calendarUsageLimitsExceeded") => error.reclassify(
            ErrorKind::ProductQuotaExhausted,
            "the calendar has reached the product's usage limit; try again in a few hours",
        ),
        _ => error,
    })
}

/// Whether the product returned this status.
pub(crate) fn is_status(error: &Error, status: u16) -> bool {
    error
        .upstream()
        .is_some_and(|upstream| upstream.status == status)
}

/// Whether the product gave this reason.
pub(crate) fn is_reason(error: &Error, reason: &str) -> bool {
    error
        .upstream()
        .is_some_and(|upstream| upstream.code.as_deref() == Some(reason))
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_calendars_own_reasons_are_read() {
        use ErrorKind as K;
        for (status, reason, kind) in [
            (410, "fullSyncRequired", K::ResultExpired),
            (410, "updatedMinTooLongAgo", K::ProductInvalidRequest),
            (410, "deleted", K::ProductNotFound),
            (403, "quotaExceeded", K::ProductQuotaExhausted),
            (403, "calendarUsageLimitsExceeded", K::ProductQuotaExhausted),
            (403, "rateLimitExceeded", K::ProductRateLimited),
            (403, "forbiddenForNonOrganizer", K::ProductForbidden),
            (400, "timeRangeEmpty", K::ProductInvalidRequest),
            (409, "duplicate", K::ProductConflict),
            (412, "conditionNotMet", K::ProductConflict),
        ] {
            let body =
                json!({"error": {"code": status, "message": "m", "errors": [{"reason": reason}]}});
            let error =
                read_error(&Response::new(status, HeaderMap::new(), body.to_string())).unwrap();
            assert_eq!(error.kind(), kind, "{reason}");
            assert!(
                is_status(&error, status) && is_reason(&error, reason),
                "{error:?}"
            );
        }
    }
}
