//! A request as policies see it, when it is about to be sent.

use http::{HeaderMap, header};

use crate::{
    Result,
    policy::Sending,
    ports::Body,
    product::{Product, SentRequest},
    tool::Effect,
};

/// A request to an origin of the product, as policies see it. `effect` is the effect of its method or its tool.
pub(super) fn shown(
    product: &'static Product,
    origin: &str,
    request: &http::Request<Body>,
    effect: Effect,
    is_raw: bool,
    see: &mut dyn FnMut(&Sending<'_>) -> Result<()>,
) -> Result<()> {
    let url = request.uri().to_string();
    let target = url.strip_prefix(origin).unwrap_or(&url);
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    see(&Sending {
        product,
        is_raw,
        sent: SentRequest {
            method: request.method(),
            path,
            query,
            content_type: content_type(request.headers()),
            body: match request.body() {
                Body::Empty => Some(&[]),
                Body::Bytes(bytes) => readable(request.headers(), bytes),
                Body::Stream(_) => None,
            },
        },
        effect,
    })
}

/// The header `Content-Type`, if it's a text.
pub(super) fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::CONTENT_TYPE)?.to_str().ok()
}

/// The body, unless it's compressed.
pub(super) fn readable<'a>(headers: &HeaderMap, body: &'a [u8]) -> Option<&'a [u8]> {
    (!headers.contains_key(header::CONTENT_ENCODING)).then_some(body)
}
