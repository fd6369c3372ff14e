//! The errors of the Notion API (Notion API, "Status codes" and "Request limits").

use std::time::Duration;

use serde_json::{Map, Value};
use stead_core::{Error, ErrorKind, error::Upstream, product::TokenError, tool::Response};

/// Most bytes of an error object to keep.
const DETAILS: usize = 4000;

/// Reads the error of a response; `None` below status 400.
///
/// A gateway in front of the product may return HTML. If the body has no error, the status decides.
pub(crate) fn read_error(response: &Response) -> Option<Error> {
    if response.status < 400 {
        return None;
    }
    let body = response.json_or_null();
    let code = body["code"].as_str();
    let said = body["message"].as_str();
    let more = &body["additional_data"];
    let kind = kind(response.status, code, said.unwrap_or_default(), more);

    let mut upstream = Upstream::new(response.status);
    if let Some(code) = code {
        upstream = upstream.with_code(code);
    }
    if let Some(said) = said {
        upstream = upstream.with_message(said);
    }
    let header = response.header("x-notion-request-id");
    upstream.request_id = body["request_id"].as_str().or(header).map(str::to_owned);
    if body.is_object() {
        upstream = upstream.with_details(details(&body));
    }

    let mut error = Error::new(kind, sentence(kind, more, upstream.message.as_deref()));
    if let Some(after) = retry_after(response, more) {
        error = error.with_retry_after(after);
    }
    Some(error.with_upstream(upstream))
}

/// Reads an error of the token endpoint. Its form is `{object, status, code, message}`, not that of RFC 6749, 5.2.
pub(crate) fn read_token_error(body: &Map<String, Value>) -> Option<TokenError> {
    let text = |name| body.get(name).and_then(Value::as_str);
    Some(TokenError {
        code: text("code")?.to_owned(),
        message: text("message").unwrap_or_default().to_owned(),
    })
}

/// Adds the missing capability to the error of a refused call, if that's the reason.
pub(crate) fn needs(error: Error, capability: &'static str) -> Error {
    if error.kind() != ErrorKind::ScopeMissing {
        return error;
    }
    let message = format!(
        "the integration lacks the capability {capability:?}; turn it on in the integration's settings in the product"
    );
    error
        .reclassify(ErrorKind::ScopeMissing, message)
        .with_required_scopes([capability])
}

fn kind(status: u16, code: Option<&str>, said: &str, more: &Value) -> ErrorKind {
    if more["error_type"] == SEVERAL_SOURCES {
        return ErrorKind::ProductConflict;
    }
    match (status, code) {
        // The same code also means that the plan's block limit is reached.
        (403, Some("restricted_resource")) if !said.contains("limit") => ErrorKind::ScopeMissing,
        // Another request would only prolong the block.
        (429, _) if more["rate_limit_reason"] == "public_api_request_blocked" => {
            ErrorKind::ProductQuotaExhausted
        }
        // The product uses this status for too many requests.
        (529, _) => ErrorKind::ProductRateLimited,
        _ => ErrorKind::of_product_status(status),
    }
}

/// Whether the product refused a request because the database has several data sources.
pub(crate) fn has_several_sources(error: &Error) -> bool {
    let details = error
        .upstream()
        .and_then(|upstream| upstream.details.as_ref());
    details.is_some_and(|details| details["additional_data"]["error_type"] == SEVERAL_SOURCES)
}

/// Type of the error for a call without data source support, if a database has several of them.
const SEVERAL_SOURCES: &str = "multiple_data_sources_for_database";

fn sentence(kind: ErrorKind, more: &Value, said: Option<&str>) -> String {
    let own = match kind {
        ErrorKind::ProductConflict if more["error_type"] == SEVERAL_SOURCES => {
            return several_sources(more);
        }
        ErrorKind::ScopeMissing => "the integration lacks a capability that this needs",
        ErrorKind::ProductRejectedToken => "the product doesn't accept the token",
        ErrorKind::ProductForbidden => "the product forbids this",
        ErrorKind::ProductNotFound => {
            "the product has no such object, or it isn't shared with the integration (to share a page: ••• menu, Connections)"
        }
        ErrorKind::ProductConflict => "another request is changing this at the same time",
        ErrorKind::ProductRateLimited => "the product throttles this integration",
        ErrorKind::ProductQuotaExhausted => {
            "the product has temporarily blocked this integration's requests"
        }
        ErrorKind::ProductTimeout | ErrorKind::ProductUnavailable => "the product failed",
        _ => "the product refuses the request",
    };
    match said {
        Some(said) => format!("{own}: {said}"),
        None => own.to_owned(),
    }
}

fn several_sources(more: &Value) -> String {
    let ids: Vec<&str> = more["child_data_source_ids"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let named = if ids.is_empty() {
        String::new()
    } else {
        format!(": {}", ids.join(", "))
    };
    format!(
        "the database has several data sources{named}; use the id of one of them instead of the database's"
    )
}

/// The product's error object. If the saved blocks of a large write make it too long, their ids lose their hyphens. If
/// it's still too long, the list is removed and the rest is kept.
fn details(body: &Value) -> Value {
    let mut kept = body.clone();
    if kept.to_string().len() > DETAILS
        && let Some(ids) = kept["additional_data"]["committed_child_ids"].as_array_mut()
    {
        for id in ids {
            if let Some(text) = id.as_str() {
                *id = text.replace('-', "").into();
            }
        }
    }
    if kept.to_string().len() > DETAILS
        && let Some(more) = kept["additional_data"].as_object_mut()
    {
        more.remove("committed_child_ids");
    }
    kept
}

/// The wait in the body, if there is no `Retry-After` header.
fn retry_after(response: &Response, more: &Value) -> Option<Duration> {
    if response.header("retry-after").is_some() {
        return None;
    }
    let told = &more["retry_after"];
    let seconds = told.as_u64().or_else(|| told.as_str()?.parse().ok())?;
    Some(Duration::from_secs(seconds.min(86_400)))
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;

    use super::*;

    fn read(status: u16, body: &Value) -> Error {
        read_error(&Response::new(status, HeaderMap::new(), body.to_string())).unwrap()
    }

    fn told(status: u16, code: &str) -> Error {
        read(
            status,
            &json!({"object": "error", "status": status, "code": code, "message": "words", "request_id": "r-1"}),
        )
    }

    #[test]
    fn codes_become_kinds() {
        use ErrorKind as K;
        for (status, code, kind) in [
            (400, "invalid_json", K::ProductInvalidRequest),
            (400, "invalid_request_url", K::ProductInvalidRequest),
            (400, "validation_error", K::ProductInvalidRequest),
            (400, "missing_version", K::ProductInvalidRequest),
            (401, "unauthorized", K::ProductRejectedToken),
            (403, "restricted_resource", K::ScopeMissing),
            (404, "object_not_found", K::ProductNotFound),
            (409, "conflict_error", K::ProductConflict),
            (429, "rate_limited", K::ProductRateLimited),
            (500, "internal_server_error", K::ProductUnavailable),
            (502, "bad_gateway", K::ProductUnavailable),
            (503, "service_unavailable", K::ProductUnavailable),
            (
                503,
                "database_connection_unavailable",
                K::ProductUnavailable,
            ),
            (504, "gateway_timeout", K::ProductUnavailable),
            (529, "service_overload", K::ProductRateLimited),
        ] {
            let error = told(status, code);
            assert_eq!(error.kind(), kind, "{status} {code}");
            let upstream = error.upstream().unwrap();
            assert_eq!(
                (upstream.status, upstream.code.as_deref()),
                (status, Some(code))
            );
            assert_eq!(upstream.request_id.as_deref(), Some("r-1"));
        }
        assert_eq!(read(403, &json!(null)).kind(), K::ProductForbidden);
        assert_eq!(
            read(413, &json!("too large")).kind(),
            K::ProductInvalidRequest
        );
        assert!(
            told(404, "object_not_found")
                .message()
                .contains("Connections")
        );
    }

    #[test]
    fn an_error_of_the_token_endpoint_is_read() {
        let body = json!({"object": "error", "status": 400, "code": "invalid_grant", "message": "Token was used."});
        let error = read_token_error(body.as_object().unwrap()).unwrap();
        assert_eq!(
            (error.code.as_str(), error.message.as_str()),
            ("invalid_grant", "Token was used.")
        );
        assert_eq!(read_token_error(&Map::new()), None);
    }

    #[test]
    fn only_errors_about_a_dead_token_count_as_revoked() {
        let revoked = |status, code: &str| {
            let body = json!({ "object": "error", "code": code });
            (crate::PRODUCT.oauth.revoked_already)(status, body.as_object().unwrap())
        };
        assert!(revoked(400, "invalid_grant"));
        for code in ["invalid_request", "unauthorized_client", "validation_error"] {
            assert!(!revoked(400, code), "{code}");
        }
        assert!(!revoked(401, "invalid_grant"));
    }

    #[test]
    fn a_full_plan_is_not_a_missing_capability() {
        let body = json!({"code": "restricted_resource", "message": "The workspace has reached its block limit."});
        assert_eq!(read(403, &body).kind(), ErrorKind::ProductForbidden);
    }

    #[test]
    fn a_missing_capability_is_named() {
        let error = needs(told(403, "restricted_resource"), "insert_comments");
        assert_eq!(error.required_scopes(), ["insert_comments"]);
        assert_eq!(error.upstream().unwrap().status, 403);
        let other = needs(told(404, "object_not_found"), "insert_comments");
        assert!(other.required_scopes().is_empty());
    }

    #[test]
    fn several_data_sources_are_named() {
        let body = json!({"code": "validation_error", "message": "Databases with multiple data sources are not supported in this API version.",
            "additional_data": {"error_type": "multiple_data_sources_for_database", "child_data_source_ids": ["id-1", "id-2"]}});
        let error = read(400, &body);
        assert_eq!(error.kind(), ErrorKind::ProductConflict);
        assert!(
            error.message().contains("id-1, id-2") && !error.message().contains("version"),
            "{error}"
        );
    }

    #[test]
    fn waiting_times_are_read_from_the_body_too() {
        let limited = |more: Value| {
            read(
                429,
                &json!({"code": "rate_limited", "additional_data": more}),
            )
        };
        let error = limited(json!({"retry_after": "17"}));
        assert_eq!(error.retry_after(), Some(Duration::from_secs(17)));
        let blocked = limited(json!({"rate_limit_reason": "public_api_request_blocked"}));
        assert_eq!(blocked.kind(), ErrorKind::ProductQuotaExhausted);
        let mut headers = HeaderMap::new();
        headers.insert("retry-after", "3".parse().unwrap());
        let body = json!({"additional_data": {"retry_after": 17}}).to_string();
        assert_eq!(
            read_error(&Response::new(429, headers, body))
                .unwrap()
                .retry_after(),
            None
        );
    }

    #[test]
    fn a_whole_request_of_saved_blocks_is_kept() {
        let id = "77777777-aaaa-4bbb-8ccc-888888888888";
        let body = json!({"object": "error", "status": 503, "code": "service_unavailable",
            "message": "Notion is unavailable, please try again later.", "request_id": id,
            "additional_data": {"committed_resource_id": id, "committed_child_ids": vec![id; 100]}});
        let details = read(503, &body).upstream().unwrap().details.clone();
        let kept = details.unwrap()["additional_data"]["committed_child_ids"].take();
        assert_eq!(kept, json!(vec![id.replace('-', ""); 100]));
    }

    #[test]
    fn any_number_of_saved_ids_is_kept() {
        let ids: Vec<String> = (0..100).map(|number| format!("{number:036}")).collect();
        let body = json!({"code": "service_unavailable", "additional_data": {"committed_resource_id": "page", "committed_child_ids": ids}});
        let details = read(503, &body)
            .upstream()
            .unwrap()
            .details
            .clone()
            .unwrap();
        assert_eq!(
            details["additional_data"],
            json!({"committed_resource_id": "page"})
        );
    }
}
