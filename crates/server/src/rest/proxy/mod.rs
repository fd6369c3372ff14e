//! Raw requests to a product: described in JSON at `POST /v1/proxy`, or sent as they are to `/proxy/…`.

mod json;
mod streaming;
#[cfg(test)]
mod tests;

pub(super) use json::json;
pub(crate) use streaming::{at_proxy_host, streaming};

use axum::{body::Body, response::Response};
use http::{
    HeaderValue,
    header::{self, Entry},
};
use stead_core::{ports, resource::ProxyRequest};

use crate::openapi::Draft;

/// The response is the product's own.
pub(super) fn describe(draft: &mut Draft<'_>) {
    draft.takes_idempotency_key();
    draft.takes::<ProxyRequest>();
    draft.gives_the_products_own();
}

/// The product's response. If its body isn't in memory already, it's forwarded as it arrives.
fn pass_on(mut response: http::Response<ports::Body>) -> Response {
    // A body in memory has a known length. With another one in the header, the rest would be read as the next response.
    if let ports::Body::Bytes(bytes) = response.body() {
        let length = HeaderValue::from(bytes.len());
        if let Entry::Occupied(mut header) = response.headers_mut().entry(header::CONTENT_LENGTH) {
            header.insert(length);
        }
    }
    response.map(|body| match body {
        ports::Body::Empty => Body::empty(),
        ports::Body::Bytes(bytes) => Body::from(bytes),
        stream @ ports::Body::Stream(_) => Body::new(stream),
    })
}
