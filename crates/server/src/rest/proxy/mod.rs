//! Raw requests to a product: `POST /v1/proxy` describes one in JSON, `/proxy/…` is one.

mod json;
mod streaming;
#[cfg(test)]
mod tests;

pub(super) use json::json;
pub(super) use streaming::streaming;

use axum::{body::Body, response::Response};
use stead::core::ports;

/// The product's response, its body passed on piece by piece where it is not at hand already.
fn pass_on(response: http::Response<ports::Body>) -> Response {
    response.map(|body| match body {
        ports::Body::Empty => Body::empty(),
        ports::Body::Bytes(bytes) => Body::from(bytes),
        stream @ ports::Body::Stream(_) => Body::new(stream),
    })
}
