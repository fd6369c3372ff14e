//! Errors in Notion's shape (Notion API, "Status codes").

use axum::http::{HeaderName, StatusCode, header};
use serde_json::{Value, json};

use super::ids::id_of;
use crate::{
    request::Request,
    response::{Response, ResponseBody},
};

/// The header that every response has.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-notion-request-id");

/// A request that Notion refuses.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    status: u16,
    code: String,
    message: String,
    more: Value,
}

impl ApiError {
    /// 400 `validation_error` with Notion's sentence about a place in the request: `body failed validation: body.x
    /// should be …`.
    pub(crate) fn at(path: &str, should: &str) -> Self {
        let part = path.split(['.', '[']).next().unwrap_or(path);
        Self::invalid(format!(
            "{part} failed validation: {path} should be {should}."
        ))
    }

    /// 400 `validation_error`.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, "validation_error", message)
    }

    /// 400 `invalid_request_url`: there's no such path or method, or not in this version.
    pub(crate) fn url() -> Self {
        Self::new(400, "invalid_request_url", "Invalid request URL.")
    }

    /// 501 for a method that the product has and the sandbox doesn't.
    pub(crate) fn not_played(method: &str) -> Self {
        let message = format!("The sandbox doesn't play {method}; Notion has it.");
        Self::new(501, "not_implemented", message)
    }

    /// 400 `invalid_json`.
    pub(crate) fn json() -> Self {
        Self::new(400, "invalid_json", "Error parsing JSON body.")
    }

    /// 400 `missing_version`.
    pub(crate) fn missing_version() -> Self {
        let message = "Notion-Version header failed validation: Notion-Version header should be defined, instead was `undefined`.";
        Self::new(400, "missing_version", message)
    }

    /// 401: there's no token, or it isn't valid.
    pub(crate) fn unauthorized() -> Self {
        Self::new(401, "unauthorized", "API token is invalid.")
    }

    /// 403: the integration lacks a capability.
    pub(crate) fn restricted() -> Self {
        Self::new(
            403,
            "restricted_resource",
            "Insufficient permissions for this endpoint.",
        )
    }

    /// 404: it doesn't exist, or isn't shared.
    pub(crate) fn not_found(what: &str, id: &str) -> Self {
        let message = format!(
            "Could not find {what} with ID: {id}. Make sure the relevant pages and databases are shared with your integration."
        );
        Self::new(404, "object_not_found", message)
    }

    /// 400: the database has several data sources, which this version doesn't support.
    pub(crate) fn several_sources(database: &str, sources: &[String]) -> Self {
        let message = "Databases with multiple data sources are not supported in this API version.";
        let mut error = Self::invalid(message);
        error.more = json!({
            "error_type": "multiple_data_sources_for_database",
            "database_id": database,
            "child_data_source_ids": sources,
            "minimum_api_version": "2025-09-03",
        });
        error
    }

    pub(crate) fn response(&self, request_id: &str) -> Response {
        let mut body = json!({
            "object": "error",
            "status": self.status,
            "code": self.code,
            "message": self.message,
            "request_id": request_id,
        });
        if !self.more.is_null() {
            body["additional_data"] = self.more.clone();
        }
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Response::json(status, &body, false).with(REQUEST_ID, request_id)
    }

    fn new(status: u16, code: &str, message: impl Into<String>) -> Self {
        Self {
            status,
            code: code.to_owned(),
            message: message.into(),
            more: Value::Null,
        }
    }
}

/// A successful response, with the ID of its request.
pub(crate) fn success(mut value: Value, request_id: &str) -> Response {
    value["request_id"] = json!(request_id);
    Response::json(StatusCode::OK, &value, false).with(REQUEST_ID, request_id)
}

/// 401 for a valid token, for [`crate::Fault::Unauthorized`].
pub(crate) fn unauthorized(request: &Request) -> Response {
    ApiError::unauthorized().response(&id_of(&request.path))
}

/// The error for [`crate::Fault::Error`]. The reason is the code, or a reason for throttling (`public_api_…`).
pub(crate) fn injected_error(
    request: &Request,
    status: u16,
    reason: &str,
    message: Option<&str>,
    retry_after: Option<&str>,
) -> Response {
    let throttled = reason.starts_with("public_api_");
    let code = if throttled { "rate_limited" } else { reason };
    let mut error = ApiError::new(
        status,
        code,
        message.unwrap_or("The sandbox was told to respond with this error."),
    );
    if throttled {
        error.more = json!({"rate_limit_reason": reason});
    }
    if let Some(wait) = retry_after {
        error.more["retry_after"] = json!(wait);
    }
    let response = error.response(&id_of(&request.path));
    match retry_after {
        Some(wait) => response.with(header::RETRY_AFTER, wait),
        None => response,
    }
}

/// 503 instead of the response to a saved write. It has what was saved (Notion API, "Request limits", "Retry a write
/// that returns 503"). The response to a refused write doesn't change.
pub(crate) fn saved_but_unavailable(request: &Request, response: Response) -> Response {
    let ResponseBody::Whole(body) = &response.body else {
        return response;
    };
    if response.status != StatusCode::OK {
        return response;
    }
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let mut error = ApiError::new(
        503,
        "service_unavailable",
        "Notion is unavailable, please try again later.",
    );
    error.more = json!({
        "retry_guidance": ["The write may have been saved. Read the resource before you send it again."],
    });
    let appended_to = request
        .path
        .strip_prefix("/v1/blocks/")
        .and_then(|rest| rest.split('/').next());
    match appended_to {
        Some(parent) => {
            let children = body["results"].as_array().into_iter().flatten();
            error.more["committed_resource_id"] = json!(parent);
            error.more["committed_child_ids"] = children.map(|child| child["id"].clone()).collect();
        }
        None => error.more["committed_resource_id"] = body["id"].clone(),
    }
    error.response(body["request_id"].as_str().unwrap_or_default())
}
