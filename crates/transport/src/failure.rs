//! Converts errors of the clients to errors of the port.

use std::{error::Error, io};

use hyper_util::client::legacy;
use stead_core::ports::{BoxError, TransportError, TransportErrorKind, Unreached};

use crate::resolver::{NoAddress, NotPublic};

/// A request of reqwest that failed before the response's head arrived.
pub(crate) fn of_reqwest(error: reqwest::Error) -> TransportError {
    let error = error.without_url();
    if error.is_builder() {
        let message = "the request isn't valid, so it can't be sent";
        return TransportError::new(TransportErrorKind::Refused, message).with_source(error);
    }
    if any_cause(&error, legacy::Error::is_connect) {
        return of_connection(error.into());
    }
    of_request(error)
}

/// A connection that couldn't be opened.
pub(crate) fn of_connection(error: BoxError) -> TransportError {
    if any_cause(error.as_ref(), is_exhausted) {
        let message = "this process has no file descriptors or ports left for a connection";
        return TransportError::new(TransportErrorKind::Exhausted, message).with_source(error);
    }
    let why = unreached(error.as_ref());
    let message = match why {
        Some(Unreached::NotPublic) => "the host's name resolves to an address that isn't public",
        Some(Unreached::Tls) => insecure(error.as_ref()),
        _ => "couldn't connect",
    };
    let failure = TransportError::new(TransportErrorKind::Unreachable, message).with_source(error);
    match why {
        Some(why) => failure.with_unreached(why),
        None => failure,
    }
}

/// Why a connection couldn't be opened.
fn unreached(error: &(dyn Error + 'static)) -> Option<Unreached> {
    let is = |kind| any_cause(error, move |error: &io::Error| error.kind() == kind);
    if any_cause(error, |_: &NotPublic| true) {
        Some(Unreached::NotPublic)
    } else if any_cause(error, |_: &NoAddress| true) {
        Some(Unreached::Name)
    } else if is(io::ErrorKind::TimedOut) {
        Some(Unreached::Time)
    } else if is(io::ErrorKind::ConnectionRefused) {
        Some(Unreached::Refused)
    // An end of file here means that the other side hung up during the TLS handshake.
    } else if any_cause(error, |_: &rustls::Error| true) || is(io::ErrorKind::UnexpectedEof) {
        Some(Unreached::Tls)
    } else {
        None
    }
}

/// Why TLS failed. An operator needs to know what is wrong with a certificate.
fn insecure(error: &(dyn Error + 'static)) -> &'static str {
    use rustls::{CertificateError as Wrong, Error::InvalidCertificate};

    let causes = std::iter::successors(Some(error), |&cause| next(cause));
    let mut certificates = causes.filter_map(|cause| match cause.downcast_ref() {
        Some(InvalidCertificate(wrong)) => Some(wrong),
        _ => None,
    });
    match certificates.next() {
        None => "couldn't make a TLS connection",
        Some(Wrong::Expired | Wrong::ExpiredContext { .. }) => {
            "the server's certificate has expired"
        }
        Some(Wrong::NotValidYet | Wrong::NotValidYetContext { .. }) => {
            "the server's certificate isn't valid yet"
        }
        Some(Wrong::NotValidForName | Wrong::NotValidForNameContext { .. }) => {
            "the server's certificate is for a different name"
        }
        Some(Wrong::UnknownIssuer) => "the server's certificate isn't signed by a public authority",
        Some(Wrong::Revoked) => "the server's certificate was revoked",
        Some(_) => "the server's certificate isn't valid",
    }
}

/// A request that failed on its connection, before the response's head arrived.
pub(crate) fn of_request(error: impl Error + Send + Sync + 'static) -> TransportError {
    let (kind, message) = if is_timeout(&error) {
        (TransportErrorKind::TimedOut, "the connection went silent")
    } else if is_closed(&error) {
        (
            TransportErrorKind::Unanswered,
            "the connection was closed before a response arrived",
        )
    } else {
        (
            TransportErrorKind::Cut,
            "the connection broke before a response arrived",
        )
    };
    TransportError::new(kind, message).with_source(error)
}

/// Whether this process or machine has no resources left to open a connection.
fn is_exhausted(error: &io::Error) -> bool {
    /// `ENFILE` and `EMFILE`, which are the same on all Unix systems. The standard library has no kind for them.
    const NO_DESCRIPTORS: [i32; 2] = [23, 24];
    let lacks_descriptors = |code| cfg!(unix) && NO_DESCRIPTORS.contains(&code);
    error.raw_os_error().is_some_and(lacks_descriptors)
        || error.kind() == io::ErrorKind::AddrNotAvailable
}

fn is_timeout(error: &(dyn Error + 'static)) -> bool {
    any_cause(error, |error: &io::Error| {
        error.kind() == io::ErrorKind::TimedOut
    })
}

/// Whether the server says that it didn't process the request: it refused the stream, or the stream is above the last
/// one of a graceful shutdown (RFC 9113, section 8.7).
pub(crate) fn is_unprocessed(error: &hyper::Error) -> bool {
    any_cause(error, |error: &h2::Error| {
        let reason = error.reason();
        let is_shutdown = error.is_go_away() && reason == Some(h2::Reason::NO_ERROR);
        let is_refused = error.is_reset() && reason == Some(h2::Reason::REFUSED_STREAM);
        error.is_remote() && (is_shutdown || is_refused)
    })
}

/// Whether the server closed the connection before it responded. If it resets a single HTTP/2 request, or gives a
/// reason for a shutdown, that counts as a response.
fn is_closed(error: &(dyn Error + 'static)) -> bool {
    let said = |error: &h2::Error| error.is_reset() || error.is_go_away();
    let closed = |error: &io::Error| {
        matches!(
            error.kind(),
            io::ErrorKind::BrokenPipe
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::UnexpectedEof
        )
    };
    let ended = |error: &hyper::Error| {
        error.is_incomplete_message() || error.is_canceled() || error.is_closed()
    };
    // If the request's own body was interrupted, that's the caller's fault.
    let own = |error: &hyper::Error| error.is_user() || error.is_body_write_aborted();
    !any_cause(error, said)
        && !any_cause(error, own)
        && (any_cause(error, ended) || any_cause(error, closed))
}

/// Whether this error or one of its causes has this type and matches.
fn any_cause<E: Error + 'static>(error: &(dyn Error + 'static), is: impl Fn(&E) -> bool) -> bool {
    let causes = std::iter::successors(Some(error), |&cause| next(cause));
    causes.filter_map(|cause| cause.downcast_ref()).any(is)
}

/// The cause of an error. An `io::Error` doesn't return the error that it wraps as its source.
fn next<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    let wrapped = error.downcast_ref().and_then(io::Error::get_ref);
    match wrapped {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}

/// A body that was interrupted.
pub(crate) fn of_body(error: impl Error + Send + Sync + 'static) -> TransportError {
    let (kind, message) = if is_timeout(&error) {
        (TransportErrorKind::TimedOut, "the connection went silent")
    } else {
        (TransportErrorKind::Cut, "the response was interrupted")
    };
    TransportError::new(kind, message).with_source(error)
}

/// A body that ended before its declared length.
pub(crate) fn broke_off() -> TransportError {
    TransportError::new(TransportErrorKind::Cut, "the response was interrupted")
}

/// A time limit that was reached.
pub(crate) fn timed_out(message: &'static str) -> TransportError {
    TransportError::new(TransportErrorKind::TimedOut, message)
}

/// A request whose own body didn't arrive completely.
pub(crate) fn incomplete() -> TransportError {
    let message = "the request's body was interrupted or arrived too slowly";
    TransportError::new(TransportErrorKind::Incomplete, message)
}

/// A body that is larger than `limit` bytes.
pub(crate) fn too_large(limit: u64) -> TransportError {
    TransportError::new(
        TransportErrorKind::TooLarge,
        format!("the response is larger than {limit} bytes"),
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stead_core::ports::{Body, Purpose, Transport as _};

    use super::*;
    use crate::{ReqwestTransport, TransportOptions};

    /// The error's kind if a connection fails like this.
    async fn kind(failure: fn() -> io::Error) -> TransportErrorKind {
        let mut options = TransportOptions::default().with_public_addresses([""; 0]);
        options.lookup = Arc::new(move |_| Box::pin(std::future::ready(Err(failure()))));
        let transport = ReqwestTransport::new(options).unwrap();
        let [call, other] = [Purpose::Call, Purpose::Other].map(async |purpose| {
            let request = http::Request::get("https://api.example/").extension(purpose);
            let sent = transport.send(request.body(Body::Empty).unwrap()).await;
            let error = sent.unwrap_err();
            assert!(!error.may_have_been_sent());
            error.kind()
        });
        let kind = call.await;
        assert_eq!(kind, other.await);
        kind
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn exhausted_descriptors_are_not_blamed_on_the_server() {
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
