//! An [`Error`] as the response to a request: RFC 9457 `application/problem+json`.

use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;
use serde_json::{Value, json};
use stead::{Error, ErrorKind};
use stead_core::error::ActBy;

use crate::{replayed::Replayed, request_id::RequestId};

/// The result of a handler.
pub(crate) type Result<T = Response, E = Problem> = std::result::Result<T, E>;

/// An error for a response. The layer around the routes writes it, because it knows the request's ID.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) error: Error,
    challenge: &'static str,
    /// Additional parameters of the challenge.
    parameters: String,
}

/// The kind of a Stead error. A product's response never has this header.
const ERROR: HeaderName = HeaderName::from_static("stead-error");
/// The ID of the call in the history, if the request reached that point.
pub(crate) const EXECUTION_ID: HeaderName = HeaderName::from_static("stead-execution-id");

/// The challenge if there is no bearer token. In that case, it has no error code (RFC 6750, section 3).
const CHALLENGE: &str = r#"Bearer realm="stead""#;
/// The challenge for an invalid bearer token (RFC 6750, section 3.1).
const CHALLENGE_INVALID: &str = r#"Bearer realm="stead", error="invalid_token""#;

/// The challenge for a bearer token that doesn't allow this (RFC 6750, section 3.1).
const CHALLENGE_INSUFFICIENT: &str = r#"Bearer realm="stead", error="insufficient_scope""#;

impl Problem {
    /// The caller's token is invalid or has expired.
    pub(crate) fn of_token(error: Error) -> Self {
        Self {
            error,
            challenge: CHALLENGE_INVALID,
            parameters: String::new(),
        }
    }

    /// Adds the URL at which a client reads which tokens are accepted (RFC 9728, section 5.1).
    pub(crate) fn with_resource(self, metadata_url: &str) -> Self {
        self.with_parameter("resource_metadata", metadata_url)
    }

    /// Adds the error's message to the challenge (RFC 6750, section 3), without characters that aren't allowed there.
    pub(crate) fn with_description(self) -> Self {
        let message = self.error.message().chars();
        let letters = message.map(|letter| match letter {
            '"' | '\\' => '\'',
            ' '..='~' => letter,
            _ => '?',
        });
        let description: String = letters.collect();
        self.with_parameter("error_description", &description)
    }

    fn with_parameter(mut self, name: &str, value: &str) -> Self {
        self.parameters.push_str(&format!(", {name}=\"{value}\""));
        self
    }

    /// The whole response. If it answers a request to a product, it also has the members of an error that the product's
    /// SDK reads.
    pub(crate) fn write(self, id: RequestId, is_proxied: bool) -> Response {
        let kind = self.error.kind();
        let challenge = match kind {
            ErrorKind::Unauthenticated => Some(self.challenge.to_owned()),
            ErrorKind::InsufficientScope => Some(insufficient_scope(self.error.required_scopes())),
            _ => None,
        };
        let challenge = challenge.map(|challenge| challenge + &self.parameters);
        let challenge = challenge.and_then(|challenge| HeaderValue::try_from(challenge).ok());
        let execution_id = self
            .error
            .execution_id()
            .and_then(|id| HeaderValue::try_from(id).ok());
        let problem = self.error.with_request_id(id.to_string()).to_problem();
        let body = match is_proxied {
            true => serde_json::to_vec(&ForSdks::new(&problem)),
            false => serde_json::to_vec(&problem),
        };
        let body = body.unwrap_or_default();
        let mut response = (status(kind), body).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(ERROR, HeaderValue::from_static(kind.name()));
        if let Some(id) = execution_id {
            headers.insert(EXECUTION_ID, id);
        }
        if let Some(challenge) = challenge {
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

/// A problem with the members that the products' SDKs read. Each SDK reads its own and ignores the others.
#[derive(Serialize)]
struct ForSdks<'p> {
    #[serde(flatten)]
    problem: &'p stead_core::error::Problem,
    /// Google: `error.code`, `error.message`, `error.status`.
    error: Value,
    /// For Notion, whose SDK knows only these codes. Snowflake also reads `code` and `message`.
    object: &'static str,
    code: &'static str,
    message: String,
}

impl<'p> ForSdks<'p> {
    fn new(problem: &'p stead_core::error::Problem) -> Self {
        let message = match problem.detail.as_str() {
            "" => problem.title.clone(),
            detail => detail.to_owned(),
        };
        // From `google.rpc.Code` and Notion's "Status codes".
        let (status, code) = match problem.status {
            401 => ("UNAUTHENTICATED", "unauthorized"),
            403 => ("PERMISSION_DENIED", "restricted_resource"),
            404 => ("NOT_FOUND", "object_not_found"),
            409 => ("ABORTED", "conflict_error"),
            429 => ("RESOURCE_EXHAUSTED", "rate_limited"),
            400..=499 => ("INVALID_ARGUMENT", "validation_error"),
            502 | 503 => ("UNAVAILABLE", "service_unavailable"),
            504 => ("DEADLINE_EXCEEDED", "service_unavailable"),
            _ => ("INTERNAL", "internal_server_error"),
        };
        Self {
            error: json!({ "code": problem.status, "message": message, "status": status }),
            object: "error",
            code,
            message,
            problem,
        }
    }
}

/// Names the missing scope, if one would help. An account token can't get more scopes.
fn insufficient_scope(scopes: &[String]) -> String {
    match scopes {
        [] => CHALLENGE_INSUFFICIENT.to_owned(),
        _ => format!(r#"{CHALLENGE_INSUFFICIENT}, scope="{}""#, scopes.join(" ")),
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self {
            error,
            challenge: CHALLENGE,
            parameters: String::new(),
        }
    }
}

impl IntoResponse for Problem {
    /// A response without a body. It carries the problem to the layer that writes it.
    fn into_response(self) -> Response {
        let replayed = Replayed(self.error.is_replayed());
        let mut response = (status(self.error.kind()), replayed, ()).into_response();
        if let Some(seconds) = retry_after(&self.error) {
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// The HTTP status of a kind.
pub(crate) fn status(kind: ErrorKind) -> StatusCode {
    StatusCode::from_u16(kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Whole seconds, rounded up, if the error has a pause.
pub(crate) fn retry_after(error: &Error) -> Option<HeaderValue> {
    error
        .retry_after()
        .map(|after| HeaderValue::from(after.as_secs() + u64::from(after.subsec_nanos() > 0)))
}

/// Logs an error. It's logged as an error if the operator has to act, and otherwise for debugging, because the caller
/// reads it anyway. Errors that a caller can cause at will are also for debugging. Otherwise, callers could fill the
/// log. So is a call that waits for approval, because nothing failed. The store itself logs once that it fails.
pub(crate) fn report(error: &Error) {
    let provoked = matches!(
        error.kind(),
        ErrorKind::ApprovalRequired
            | ErrorKind::Overloaded
            | ErrorKind::HostRejected
            | ErrorKind::ShuttingDown
            | ErrorKind::StorageUnavailable
    );
    if !provoked && (error.kind().status() == 500 || error.act_by() == ActBy::Operator) {
        tracing::error!(kind = error.kind().name(), error = ?error, "a request failed");
    } else {
        tracing::debug!(kind = error.kind().name(), error = ?error, "a request failed");
    }
}
