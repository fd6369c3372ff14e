//! Errors in the shapes of Google's APIs.
//!
//! Gmail mixes the older list `errors[]` with the newer `status` and `details[]`. People has only the newer members.
//! The token endpoint follows RFC 6749, section 5.2.

use axum::http::{HeaderName, StatusCode, header};
use serde_json::{Value, json};

use super::hosts;
use crate::response::Response;

/// The members of an API's errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorShape {
    /// `errors[]` next to `status` and `details[]`: Gmail and Drive.
    Mixed,
    /// `status` and `details[]` only: People and Sheets.
    Status,
    /// `errors[]` only: Calendar.
    Older,
}

/// A request that an API refuses.
#[derive(Debug, Clone)]
pub(crate) struct ApiError(Box<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    status: StatusCode,
    /// The canonical code of `google.rpc.Code`.
    code: &'static str,
    message: String,
    /// An entry of `errors[]`.
    domain: &'static str,
    reason: String,
    short_message: Option<&'static str>,
    location: Option<(&'static str, String)>,
    details: Vec<Value>,
    /// An additional header.
    header: Option<(HeaderName, String)>,
}

impl ApiError {
    /// 400 with status INVALID_ARGUMENT.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "badRequest", message)
    }

    /// 404 with status NOT_FOUND.
    pub(crate) fn not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "notFound",
            "Requested entity was not found.",
        )
    }

    /// 403 with status PERMISSION_DENIED.
    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    /// 501 for a request that the product supports but the sandbox doesn't.
    pub(crate) fn unimplemented(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_IMPLEMENTED, "notImplemented", message)
    }

    /// 501 for a method that the product has and the sandbox doesn't.
    pub(crate) fn not_played(id: &str) -> Self {
        Self::unimplemented(format!("The sandbox doesn't play {id}; Google has it."))
    }

    /// 400 for a query parameter with an unknown name, a repeated name, or a value of the wrong type.
    pub(crate) fn unbound(field: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let mut error = Self::invalid(message.clone());
        error.0.details = vec![json!({
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [{"field": field, "description": message}],
        })];
        error
    }

    /// A bad `fields` parameter.
    pub(crate) fn bad_selection(selection: &str) -> Self {
        let mut error = Self::invalid(format!("Invalid field selection {selection}"));
        error.0.reason = "invalidParameter".to_owned();
        error.0.location = Some(("parameter", "fields".to_owned()));
        error
    }

    /// 400 for an invalid value of a parameter, like the older stack's "Invalid Value".
    pub(crate) fn invalid_value(parameter: &str) -> Self {
        let mut error = Self::new(StatusCode::BAD_REQUEST, "invalid", "Invalid Value");
        error.0.location = Some(("parameter", parameter.to_owned()));
        error
    }

    /// 400 with status FAILED_PRECONDITION.
    pub(crate) fn failed_precondition(message: impl Into<String>) -> Self {
        let mut error = Self::new(StatusCode::BAD_REQUEST, "failedPrecondition", message);
        error.0.code = "FAILED_PRECONDITION";
        error
    }

    /// Drive's 404, with the file's ID.
    pub(crate) fn file_not_found(id: &str) -> Self {
        let message = format!("File not found: {id}.");
        let mut error = Self::new(StatusCode::NOT_FOUND, "notFound", message);
        error.0.location = Some(("parameter", "fileId".to_owned()));
        error
    }

    /// 401 because there is no bearer token.
    pub(crate) fn missing_credentials() -> Self {
        let mut error = Self::new(
            StatusCode::UNAUTHORIZED,
            "required",
            "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
        );
        error.0.short_message = Some("Login Required.");
        error.0.location = Some(("header", "Authorization".to_owned()));
        error.0.details = vec![error_info("CREDENTIALS_MISSING", &json!({}))];
        error
    }

    /// 401 because the token is unknown, expired or revoked.
    pub(crate) fn invalid_credentials() -> Self {
        let mut error = Self::new(
            StatusCode::UNAUTHORIZED,
            "authError",
            "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
        );
        error.0.short_message = Some("Invalid Credentials");
        error.0.location = Some(("header", "Authorization".to_owned()));
        error
    }

    /// 403 because the token lacks a scope.
    pub(crate) fn insufficient_scope(service: &str, method: &str) -> Self {
        let mut error = Self::new(
            StatusCode::FORBIDDEN,
            "insufficientPermissions",
            "Request had insufficient authentication scopes.",
        );
        error.0.short_message = Some("Insufficient Permission");
        error.0.details = vec![error_info(
            "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
            &json!({"service": service, "method": method}),
        )];
        error
    }

    /// Adds an `ErrorInfo` with this reason to `details[]`.
    pub(crate) fn with_info(mut self, reason: &str) -> Self {
        self.0.details.push(error_info(reason, &json!({})));
        self
    }

    /// Names the wrong parameter.
    pub(crate) fn at_parameter(mut self, name: &str) -> Self {
        self.0.location = Some(("parameter", name.to_owned()));
        self
    }

    /// Adds a header to the response.
    pub(crate) fn with_header(mut self, name: HeaderName, value: String) -> Self {
        self.0.header = Some((name, value));
        self
    }

    /// The error as a response.
    pub(crate) fn response(&self, shape: ErrorShape, indented: bool) -> Response {
        let mut error = json!({
            "code": self.0.status.as_u16(),
            "message": self.0.message,
        });
        if shape != ErrorShape::Older {
            error["status"] = json!(self.0.code);
        }
        if shape != ErrorShape::Status {
            let mut entry = json!({
                "message": self.0.short_message.unwrap_or(&self.0.message),
                "domain": self.0.domain,
                "reason": self.0.reason,
            });
            if let Some((kind, location_name)) = &self.0.location {
                entry["locationType"] = json!(kind);
                entry["location"] = json!(location_name);
            }
            error["errors"] = json!([entry]);
        }
        if !self.0.details.is_empty() && shape != ErrorShape::Older {
            error["details"] = json!(self.0.details);
        }
        let mut response = Response::json(self.0.status, &json!({"error": error}), indented);
        if self.0.status == StatusCode::UNAUTHORIZED {
            let challenge = if self.0.reason == "required" {
                r#"Bearer realm="https://accounts.google.com/""#
            } else {
                r#"Bearer realm="https://accounts.google.com/", error="invalid_token""#
            };
            response = response.with(header::WWW_AUTHENTICATE, challenge);
        }
        if let Some((name, value)) = &self.0.header {
            response = response.with(name.clone(), value);
        }
        response
    }

    /// An error with any status, and with a reason of the older form.
    pub(crate) fn of(status: u16, reason: &str, message: impl Into<String>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::new(status, reason, message)
    }

    fn new(status: StatusCode, reason: &str, message: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            status,
            code: canonical_code(status),
            message: message.into(),
            domain: "global",
            reason: reason.to_owned(),
            short_message: None,
            location: None,
            details: Vec::new(),
            header: None,
        }))
    }
}

/// 401 for a valid token, for [`crate::Fault::Unauthorized`].
pub(crate) fn invalid_credentials(host: &str) -> Response {
    if host == hosts::USERINFO {
        return oauth(
            StatusCode::UNAUTHORIZED,
            "invalid_request",
            "Invalid Credentials",
        );
    }
    ApiError::invalid_credentials().response(shape_of(host), true)
}

/// The error for [`crate::Fault::Error`].
pub(crate) fn injected_error(
    host: &str,
    status: u16,
    reason: &str,
    message: Option<&str>,
    retry_after: Option<&str>,
) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let message = message.unwrap_or_else(|| default_message(reason, status));
    if host == hosts::TOKENS || host == hosts::ACCOUNTS {
        let mut response = oauth(status, reason, message);
        if let Some(wait) = retry_after {
            response = response.with(header::RETRY_AFTER, wait);
        }
        return response;
    }
    let mut error = ApiError::new(status, reason, message);
    error.0.header = retry_after.map(|wait| (header::RETRY_AFTER, wait.to_owned()));
    let newer_style = reason
        .bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    if newer_style {
        error = error.with_info(reason);
    }
    if reason.contains("imitExceeded")
        || reason == "quotaExceeded"
        || reason == "accessNotConfigured"
    {
        error.0.domain = "usageLimits";
    }
    error.response(shape_of(host), true)
}

/// An error according to RFC 6749, section 5.2.
pub(crate) fn oauth(status: StatusCode, error: &str, description: &str) -> Response {
    Response::json(
        status,
        &json!({"error": error, "error_description": description}),
        true,
    )
    .with(header::CACHE_CONTROL, "no-store")
}

fn shape_of(host: &str) -> ErrorShape {
    if host == hosts::PEOPLE || host == hosts::SHEETS {
        ErrorShape::Status
    } else {
        ErrorShape::Mixed
    }
}

fn error_info(reason: &str, metadata: &Value) -> Value {
    let mut info = json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason,
        "domain": "googleapis.com",
    });
    if metadata.as_object().is_some_and(|pairs| !pairs.is_empty()) {
        info["metadata"] = metadata.clone();
    }
    info
}

/// HTTP status to canonical code (google.rpc.Code, "HTTP Mapping").
fn canonical_code(status: StatusCode) -> &'static str {
    match status.as_u16() {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        409 => "ABORTED",
        429 => "RESOURCE_EXHAUSTED",
        499 => "CANCELLED",
        500 => "INTERNAL",
        501 => "UNIMPLEMENTED",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        _ => "UNKNOWN",
    }
}

fn default_message(reason: &str, status: StatusCode) -> &'static str {
    match reason {
        "rateLimitExceeded" => "Rate Limit Exceeded",
        "userRateLimitExceeded" => "User Rate Limit Exceeded",
        "quotaExceeded" | "RATE_LIMIT_EXCEEDED" => "Quota exceeded.",
        "dailyLimitExceeded" => "Daily Limit Exceeded",
        "backendError" => "Backend Error",
        "domainPolicy" => "The domain administrators have disabled this application.",
        "accessNotConfigured" | "SERVICE_DISABLED" => {
            "Gmail API has not been used in project 1 before or it is disabled."
        }
        "failedPrecondition" => "Precondition check failed.",
        _ if status.is_server_error() => "Internal error encountered.",
        _ => "The request was refused.",
    }
}
