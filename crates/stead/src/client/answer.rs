//! What the service answered, and the errors that come back as they left it.

use bytes::Bytes;
use http::{StatusCode, header};
use serde::{Deserialize, de::DeserializeOwned};
use stead_core::{
    Error, ErrorKind, Result,
    error::Problem,
    ports::{TransportError, TransportErrorKind},
};

/// The service puts this header, the id of the execution, on the answers of a product alone.
const OF_PRODUCT: &str = "stead-execution-id";

/// The JSON body of a good answer.
pub(super) fn read<T: DeserializeOwned>(answer: &http::Response<Bytes>) -> Result<T> {
    done(answer)?;
    serde_json::from_slice(answer.body()).map_err(unreadable)
}

/// A good answer whose body does not matter.
pub(super) fn done(answer: &http::Response<Bytes>) -> Result<()> {
    if answer.status().is_success() {
        Ok(())
    } else {
        Err(error_of(answer))
    }
}

/// The answer of a product, whatever its status.
pub(super) fn of_product(answer: http::Response<Bytes>) -> Result<http::Response<Bytes>> {
    if is_of_product(&answer) {
        return Ok(answer);
    }
    done(&answer)?;
    Err(not_stead("its answer does not say that it is a product's"))
}

/// Whether a product answered, and not the service itself.
pub(super) fn is_of_product(answer: &http::Response<Bytes>) -> bool {
    answer.headers().contains_key(OF_PRODUCT)
}

/// What the token endpoint refused (RFC 6749, 5.2), or a problem.
pub(super) fn token_error(answer: &http::Response<Bytes>) -> Error {
    #[derive(Deserialize)]
    struct Refusal {
        error: String,
    }
    match serde_json::from_slice::<Refusal>(answer.body()) {
        Ok(refusal) if refusal.error == "invalid_client" => Error::new(
            ErrorKind::Unauthenticated,
            "the service refuses the application's client id or secret",
        ),
        Ok(refusal) if answer.status().is_client_error() => Error::new(
            ErrorKind::Unauthenticated,
            "the service gives no token for the application's credentials",
        )
        .with_context("error", refusal.error),
        _ => error_of(answer),
    }
}

/// No answer came, or broke off.
pub(super) fn missing(url: &str, error: TransportError, may_write: bool) -> Error {
    let (kind, message) = match error.kind() {
        TransportErrorKind::Refused => (
            ErrorKind::InvalidRequest,
            format!("the request cannot be sent: {error}"),
        ),
        TransportErrorKind::TooLarge => (
            ErrorKind::ResponseTooLarge,
            format!("the answer is too large: {error}"),
        ),
        TransportErrorKind::Unreachable => (
            ErrorKind::ServiceUnavailable,
            format!("the Stead service at {url} cannot be reached"),
        ),
        _ if may_write => (
            ErrorKind::OutcomeUnknown,
            format!("the Stead service at {url} did not answer; the call may have been made"),
        ),
        _ => (
            ErrorKind::ServiceUnavailable,
            format!("the Stead service at {url} did not answer"),
        ),
    };
    Error::new(kind, message).with_source(error)
}

/// A body that is not what a service sends.
fn unreadable(error: serde_json::Error) -> Error {
    not_stead("its answer has another shape").with_source(error)
}

/// Something answered that is not a Stead service, or a newer one.
pub(super) fn not_stead(why: &str) -> Error {
    Error::new(
        ErrorKind::Internal,
        format!("this is not a Stead service, or not one of this version: {why}"),
    )
}

fn error_of(answer: &http::Response<Bytes>) -> Error {
    let is_problem = answer
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/problem+json"));
    if is_problem && let Ok(problem) = serde_json::from_slice::<Problem>(answer.body()) {
        return Error::from(problem);
    }
    let status = answer.status();
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
            "the service answered with status {} and said no more",
            status.as_u16()
        ),
    )
}
