//! Errors in Snowflake's shapes: the API's `{code, message}`, a failed statement, and the authorization server's own
//! (SQL API, "Handling responses"; Snowflake OAuth, "Error codes").

use axum::http::{StatusCode, header};
use serde_json::json;
use sqlparser::tokenizer::Location;

use crate::response::Response;

/// A request that the API refuses.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl ApiError {
    /// 400 for something that the API's description doesn't have.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "390400", message)
    }

    /// 400 for a body that can't be parsed.
    pub(crate) fn payload(why: &str) -> Self {
        let message = format!("Incoming request does not contain a valid payload. {why}");
        Self::new(StatusCode::BAD_REQUEST, "390142", message.trim_end())
    }

    /// 404 for an unknown path or statement.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "390404", message)
    }

    /// 501 for a method that Snowflake has and the sandbox doesn't.
    pub(crate) fn not_played(method: &str, path: &str) -> Self {
        let message = format!("The sandbox doesn't play {method} {path}; Snowflake has it.");
        Self::new(StatusCode::NOT_IMPLEMENTED, "390501", message)
    }

    /// 405.
    pub(crate) fn wrong_method() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "390405",
            "Method not allowed.",
        )
    }

    /// 415.
    pub(crate) fn media_type(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "390415", message)
    }

    /// 401 for a token that is unknown or revoked.
    pub(crate) fn invalid_token() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "390303",
            "Invalid OAuth access token. [1066612ed]",
        )
    }

    /// 401 for an expired token.
    pub(crate) fn expired_token() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "390318",
            "OAuth access token expired. [1066612ed]",
        )
    }

    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
        }
    }

    /// The error as a response.
    pub(crate) fn response(&self) -> Response {
        Response::json(
            self.status,
            &json!({"code": self.code, "message": self.message}),
            false,
        )
    }
}

/// A statement that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SqlError {
    pub(crate) code: String,
    pub(crate) state: String,
    pub(crate) message: String,
}

impl SqlError {
    pub(crate) fn new(code: &str, state: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            state: state.to_owned(),
            message: message.into(),
        }
    }

    /// An object that doesn't exist, or that the role can't see.
    pub(crate) fn no_object(kind: &str, name: &str) -> Self {
        let message =
            format!("SQL compilation error:\n{kind} '{name}' does not exist or not authorized.");
        Self::new("002003", "42S02", message)
    }

    /// A text that can't be parsed as SQL.
    pub(crate) fn syntax(location: Location, token: &str) -> Self {
        let message = format!(
            "SQL compilation error:\nsyntax error line {} at position {} unexpected '{token}'.",
            location.line,
            location.column.saturating_sub(1)
        );
        Self::new("001003", "42000", message)
    }

    /// A feature that Snowflake has and the sandbox doesn't play.
    pub(crate) fn unsupported(what: &str) -> Self {
        let message = format!("Unsupported feature: the sandbox does not play {what}.");
        Self::new("000002", "0A000", message)
    }

    /// A name that doesn't belong to any column.
    pub(crate) fn no_column(name: &str) -> Self {
        let message = format!(
            "SQL compilation error: error line 1 at position 0\ninvalid identifier '{name}'"
        );
        Self::new("000904", "42000", message)
    }
}

/// The error for a fault. `reason` is Snowflake's code. Any other text becomes part of the message.
pub(crate) fn injected_error(
    status: u16,
    reason: &str,
    message: Option<&str>,
    retry_after: Option<&str>,
) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let is_code = !reason.is_empty() && reason.bytes().all(|byte| byte.is_ascii_digit());
    let code = match (is_code, status.as_u16()) {
        (true, _) => reason,
        (false, 429) => "390505",
        (false, 401) => "390303",
        (false, _) => "390000",
    };
    let message = message.map_or_else(
        || format!("The sandbox was told to respond with this error: {reason}."),
        str::to_owned,
    );
    let response = Response::json(status, &json!({"code": code, "message": message}), false);
    match retry_after {
        Some(after) => response.with(header::RETRY_AFTER, after),
        None => response,
    }
}

/// An error of the authorization server.
pub(crate) fn oauth(status: StatusCode, error: &str, message: &str) -> Response {
    let body =
        json!({"data": null, "message": message, "code": null, "success": false, "error": error});
    Response::json(status, &body, false)
        .with(header::CACHE_CONTROL, "no-store")
        .with(header::PRAGMA, "no-cache")
}
