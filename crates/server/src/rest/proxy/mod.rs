//! Raw requests to a product: `POST /v1/proxy` describes one in JSON, `/proxy/…` is one.

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
use stead::core::{ports, resource::ProxyRequest};

use crate::openapi::Draft;

/// What a product responds with is its own.
pub(super) fn describe(draft: &mut Draft<'_>) {
    draft.takes_idempotency_key();
    draft.takes::<ProxyRequest>();
    draft.gives_the_products_own();
}

/// The product's response, its body passed on piece by piece where it is not at hand already.
fn pass_on(mut response: http::Response<ports::Body>) -> Response {
    // What is at hand has its own length: with another, what follows would be read as the next response.
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
