//! Raw requests to a product: `POST /v1/proxy` describes one in JSON, `/proxy/…` is one.

mod json;
mod streaming;
#[cfg(test)]
mod tests;

pub(super) use json::json;
pub(crate) use streaming::{ROUTE, at_proxy_host, is_streaming, streaming};

use axum::{body::Body, response::Response};
use stead::core::ports;

use crate::openapi::Draft;

/// What a product responds with is its own.
pub(super) fn describe(draft: &mut Draft<'_>) {
    draft.gives_the_products_own();
}

/// A request's body is the product's own.
pub(super) fn describe_streaming(draft: &mut Draft<'_>) {
    draft.takes_any();
    draft.gives_the_products_own();
}

/// The product's response, its body passed on piece by piece where it is not at hand already.
fn pass_on(response: http::Response<ports::Body>) -> Response {
    response.map(|body| match body {
        ports::Body::Empty => Body::empty(),
        ports::Body::Bytes(bytes) => Body::from(bytes),
        stream @ ports::Body::Stream(_) => Body::new(stream),
    })
}
