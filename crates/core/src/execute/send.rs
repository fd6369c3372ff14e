use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

use crate::{
    Error, ErrorKind, Result,
    environment::{Endpoints, Environment},
    ports::{Body, Limits, TransportError, TransportErrorKind},
    product::Product,
    snapshot::Snapshot,
    tool::{ApiRequest, Effect, Resend},
};

/// Google compresses only where the user agent says `gzip` too (Calendar API guide, Performance tips).
const USER_AGENT: HeaderValue =
    HeaderValue::from_static(concat!("stead/", env!("CARGO_PKG_VERSION"), " (gzip)"));
const GZIP: HeaderValue = HeaderValue::from_static("gzip");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The request's address: the pinned origin, and below it the encoded path.
pub(super) fn target(endpoints: &Endpoints, request: &ApiRequest, attempt: u8) -> Result<Uri> {
    let unknown = || {
        Error::new(
            ErrorKind::Internal,
            format!("the product has no origin {:?}", request.origin),
        )
    };
    let (origin, base) = endpoints.origin(request.origin).ok_or_else(unknown)?;
    let mut target = match request.resend {
        Resend::AlwaysWith(key, value) if attempt > 1 => {
            request.clone().query(key, value).target(base)?
        }
        _ => request.target(base)?,
    };
    target.insert_str(0, origin);
    Uri::try_from(target).map_err(|error| {
        Error::new(
            ErrorKind::InvalidRequest,
            "the request's path and query are too long",
        )
        .with_source(error)
    })
}

/// Sends one request with the snapshot's token.
pub(super) async fn send(
    environment: &Environment,
    product: &Product,
    request: &ApiRequest,
    target: Uri,
    snapshot: &Snapshot,
    left: Duration,
) -> Result<http::Response<Body>, Unsent> {
    let bearer = snapshot.usable()?.bearer().clone();
    let mut sending = http::Request::new(request.body.clone().map_or(Body::Empty, Body::from));
    *sending.method_mut() = request.method.clone();
    *sending.uri_mut() = target;
    let headers = sending.headers_mut();
    set_product_headers(headers, product);
    headers.insert(header::ACCEPT_ENCODING, GZIP);
    headers.insert(header::ACCEPT, JSON);
    if request.body.is_some() {
        headers.insert(header::CONTENT_TYPE, JSON);
    }
    for (name, value) in &request.headers {
        let value = HeaderValue::from_str(value).map_err(|_| {
            Error::new(
                ErrorKind::InvalidRequest,
                format!("the value for the header {name} holds characters that no header takes"),
            )
        })?;
        headers.insert(HeaderName::from_static(name), value);
    }
    headers.insert(header::AUTHORIZATION, bearer);
    let limits = Limits {
        total: product.limits.total.min(left),
        first_byte: product.limits.first_byte.min(left),
        ..product.limits
    };
    sending.extensions_mut().insert(limits);
    tracing::debug!(product = product.name, method = %request.method, "request to the product");
    Ok(environment.transport().send(sending).await?)
}

/// Headers that every request to a product carries.
pub(crate) fn set_product_headers(headers: &mut HeaderMap, product: &Product) {
    headers.insert(header::USER_AGENT, USER_AGENT);
    for (name, value) in product.headers {
        headers
            .entry(HeaderName::from_static(name))
            .or_insert(HeaderValue::from_static(value));
    }
}

/// Why there is no answer.
pub(super) enum Unsent {
    /// Nothing was sent.
    Ours(Error),
    /// The transport failed.
    Transport(TransportError),
}

impl From<Error> for Unsent {
    fn from(error: Error) -> Self {
        Self::Ours(error)
    }
}

impl From<TransportError> for Unsent {
    fn from(error: TransportError) -> Self {
        Self::Transport(error)
    }
}

/// A failed exchange as an error of the table. A write that may have been processed has an unknown outcome.
pub(crate) fn transport_failure(error: TransportError, effect: Effect) -> Error {
    let unknown = effect != Effect::Read && error.may_have_been_sent();
    let (kind, message) = match error.kind() {
        TransportErrorKind::TooLarge => (
            ErrorKind::ResponseTooLarge,
            "the product's answer is larger than allowed",
        ),
        _ if unknown => (
            ErrorKind::OutcomeUnknown,
            "the request was sent and its answer never came: it may or may not have been carried out",
        ),
        TransportErrorKind::Refused => (
            ErrorKind::InvalidRequest,
            "the request cannot be sent as it is",
        ),
        TransportErrorKind::TimedOut => (
            ErrorKind::ProductTimeout,
            "the product did not answer in time",
        ),
        TransportErrorKind::Unreachable => (
            ErrorKind::ProductUnavailable,
            "the product cannot be reached",
        ),
        TransportErrorKind::Cut => (
            ErrorKind::UpstreamTruncated,
            "the product's answer broke off",
        ),
    };
    Error::new(kind, message).with_source(error)
}
