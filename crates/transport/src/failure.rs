//! Errors of reqwest as errors of the port.

use std::{error::Error, io};

use stead_core::ports::{TransportError, TransportErrorKind};

use crate::resolver::NotPublic;

/// A request that failed before the response's head arrived.
pub(crate) fn of_request(error: reqwest::Error) -> TransportError {
    let (kind, message) = if error.is_builder() {
        (
            TransportErrorKind::Refused,
            "the request cannot be sent as it is",
        )
    } else if is_exhausted(&error) {
        (
            TransportErrorKind::Exhausted,
            "this process has no file descriptors or ports left for a connection",
        )
    } else if any_cause(&error, |_: &NotPublic| true) {
        (
            TransportErrorKind::Unreachable,
            "the host's name leads to an address that is not public",
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

/// Whether no connection could be made because this process or this machine has nothing left to make it with.
fn is_exhausted(error: &reqwest::Error) -> bool {
    /// `ENFILE` and `EMFILE`, the same on all systems of the Unix family; the standard library has no kind for them.
    const NO_DESCRIPTORS: [i32; 2] = [23, 24];
    if !error.is_connect() && !error.is_dns() {
        return false;
    }
    any_cause(error, |error: &io::Error| {
        let lacks_descriptors = |code| cfg!(unix) && NO_DESCRIPTORS.contains(&code);
        error.raw_os_error().is_some_and(lacks_descriptors)
            || error.kind() == io::ErrorKind::AddrNotAvailable
    })
}

/// Whether an error of this type, and like this, is among the causes.
fn any_cause<E: Error + 'static>(error: &reqwest::Error, is: impl Fn(&E) -> bool) -> bool {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    causes.filter_map(|cause| cause.downcast_ref()).any(is)
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

/// A body that ended before its declared length.
pub(crate) fn broke_off() -> TransportError {
    TransportError::new(TransportErrorKind::Cut, "the response broke off")
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stead_core::ports::{Body, Transport as _};

    use super::*;
    use crate::{ReqwestTransport, TransportOptions};

    /// What becomes of a request where a connection fails like this.
    async fn kind(failure: fn() -> io::Error) -> TransportErrorKind {
        let mut options = TransportOptions::default().with_public_addresses([""; 0]);
        options.lookup = Arc::new(move |_| Box::pin(std::future::ready(Err(failure()))));
        let transport = ReqwestTransport::new(options).unwrap();
        let request = http::Request::get("https://api.example/");
        let sent = transport.send(request.body(Body::Empty).unwrap()).await;
        let error = sent.unwrap_err();
        assert!(!error.may_have_been_sent());
        error.kind()
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_process_without_descriptors_does_not_blame_the_server() {
        for failure in [
            || io::Error::from_raw_os_error(24),
            || io::Error::from_raw_os_error(23),
            || io::ErrorKind::AddrNotAvailable.into(),
        ] as [fn() -> io::Error; 3]
        {
            assert_eq!(kind(failure).await, TransportErrorKind::Exhausted);
        }
        for failure in [
            || io::Error::from_raw_os_error(111),
            || io::Error::other("no such name"),
        ] as [fn() -> io::Error; 2]
        {
            assert_eq!(kind(failure).await, TransportErrorKind::Unreachable);
        }
    }
}
