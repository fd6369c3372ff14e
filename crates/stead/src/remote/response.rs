//! Responses of the service, and the errors in them, as the service sent them.

use bytes::Bytes;
use http::{StatusCode, header};
use serde::{Deserialize, de::DeserializeOwned};
use stead_core::{
    Error, ErrorKind, Result,
    error::Problem,
    ports::{TransportError, TransportErrorKind},
};

/// The execution's ID. The service sets it on responses that it forwards from a product, and on its own responses to a
/// call.
pub(super) const EXECUTION: &str = "stead-execution-id";
/// The kind of the service's own error. No product's response has this header.
const ERROR: &str = "stead-error";

/// Parses the JSON body of a successful response.
pub(super) fn read<T: DeserializeOwned>(response: &http::Response<Bytes>) -> Result<T> {
    done(response)?;
    serde_json::from_slice(response.body()).map_err(unreadable)
}

/// The result of an operation that responds without a body.
pub(super) fn nothing<T: DeserializeOwned>() -> Result<T> {
    serde_json::from_slice(b"null").map_err(unreadable)
}

/// Accepts a successful response, and ignores its body.
pub(super) fn done(response: &http::Response<Bytes>) -> Result<()> {
    if response.status().is_success() {
        Ok(())
    } else {
        Err(error_of(response))
    }
}

/// The response of a product, whatever its status.
pub(super) fn of_product(response: http::Response<Bytes>) -> Result<http::Response<Bytes>> {
    if is_of_product(&response) {
        return Ok(response);
    }
    done(&response)?;
    Err(not_stead(
        "its response does not say that it is a product's",
    ))
}

/// Whether a product responded, and not the service itself.
pub(super) fn is_of_product(response: &http::Response<Bytes>) -> bool {
    let headers = response.headers();
    headers.contains_key(EXECUTION) && !headers.contains_key(ERROR)
}

/// Whether it's the response to an earlier request with the same idempotency key.
pub(super) fn is_replayed(response: &http::Response<Bytes>) -> bool {
    response.headers().contains_key("stead-idempotent-replayed")
}

/// An error of the token endpoint (RFC 6749, 5.2), or a problem.
pub(super) fn token_error(response: &http::Response<Bytes>) -> Error {
    #[derive(Deserialize)]
    struct Refusal {
        error: String,
    }
    match serde_json::from_slice::<Refusal>(response.body()) {
        Ok(refusal) if refusal.error == "invalid_client" => Error::new(
            ErrorKind::Unauthenticated,
            "the service refuses the application's client id or secret",
        ),
        Ok(refusal) if response.status().is_client_error() => Error::new(
            ErrorKind::Unauthenticated,
            "the service issues no token for the application's credentials",
        )
        .with_context("error", refusal.error),
        _ => error_of(response),
    }
}

/// The error if no response came, or if it was cut off.
pub(super) fn missing(url: &str, error: TransportError, may_write: bool) -> Error {
    let (kind, message) = match error.kind() {
        TransportErrorKind::Refused => (
            ErrorKind::InvalidRequest,
            format!("the request cannot be sent: {error}"),
        ),
        TransportErrorKind::TooLarge => (
            ErrorKind::ResponseTooLarge,
            format!("the response is too large: {error}"),
        ),
        TransportErrorKind::Unreachable => (
            ErrorKind::ServiceUnavailable,
            format!("the Stead service at {url} cannot be reached"),
        ),
        _ if may_write => (
            ErrorKind::OutcomeUnknown,
            format!("the Stead service at {url} did not respond; the call may have been made"),
        ),
        _ => (
            ErrorKind::ServiceUnavailable,
            format!("the Stead service at {url} did not respond"),
        ),
    };
    Error::new(kind, message).with_source(error)
}

/// The error if the body isn't from a Stead service.
fn unreadable(error: serde_json::Error) -> Error {
    not_stead("its response has another form").with_source(error)
}

/// The error if the response isn't from a Stead service, or is from a newer one.
pub(super) fn not_stead(why: &str) -> Error {
    Error::new(
        ErrorKind::Internal,
        format!("this is not a Stead service, or not one of this version: {why}"),
    )
}

fn error_of(response: &http::Response<Bytes>) -> Error {
    let is_problem = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/problem+json"));
    if is_problem && let Ok(problem) = serde_json::from_slice::<Problem>(response.body()) {
        return Error::from(problem).with_replayed(is_replayed(response));
    }
    let status = response.status();
    let kind = match status {
        StatusCode::UNAUTHORIZED => ErrorKind::Unauthenticated,
        StatusCode::FORBIDDEN => ErrorKind::Forbidden,
        StatusCode::NOT_FOUND => ErrorKind::NotFound,
        StatusCode::TOO_MANY_REQUESTS => ErrorKind::RateLimited,
        _ if status.is_client_error() => ErrorKind::InvalidRequest,
        _ => ErrorKind::ServiceUnavailable,
    };
    Error::new(
        kind,
        format!(
            "the service responded with status {} and nothing else",
            status.as_u16()
        ),
    )
}
