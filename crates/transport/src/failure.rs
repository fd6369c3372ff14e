//! Errors of reqwest as errors of the port.

use stead_core::ports::{TransportError, TransportErrorKind};

/// A request that failed before the response's head arrived.
pub(crate) fn of_request(error: reqwest::Error) -> TransportError {
    let (kind, message) = if error.is_builder() {
        (
            TransportErrorKind::Refused,
            "the request cannot be sent as it is",
        )
    } else if error.is_connect() || error.is_dns() {
        (
            TransportErrorKind::Unreachable,
            "no connection could be made",
        )
    } else if error.is_timeout() {
        (TransportErrorKind::TimedOut, "the connection went silent")
    } else {
        (
            TransportErrorKind::Cut,
            "the connection broke before a response arrived",
        )
    };
    TransportError::new(kind, message).with_source(error.without_url())
}

/// A body that broke off.
pub(crate) fn of_body(error: reqwest::Error) -> TransportError {
    let (kind, message) = if error.is_timeout() {
        (TransportErrorKind::TimedOut, "the connection went silent")
    } else {
        (TransportErrorKind::Cut, "the response broke off")
    };
    TransportError::new(kind, message).with_source(error.without_url())
}

/// A limit of time that was reached.
pub(crate) fn timed_out(message: &'static str) -> TransportError {
    TransportError::new(TransportErrorKind::TimedOut, message)
}

/// A body above `limit` bytes.
pub(crate) fn too_large(limit: u64) -> TransportError {
    TransportError::new(
        TransportErrorKind::TooLarge,
        format!("the response is larger than {limit} bytes"),
    )
}
