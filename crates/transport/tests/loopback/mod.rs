//! The transport against servers on the loopback interface, byte by byte. Both clients have to behave the same.

mod http2;
mod kept;
mod limits;
mod runtimes;
pub(crate) mod server;
mod tls;
mod wire;

use bytes::Bytes;
use http::{Request, Response, request::Builder};
use stead_core::ports::{Body, Limits, Transport as _, TransportError};
use stead_transport::{ReqwestTransport, TransportOptions};

use crate::PURPOSE;

pub(crate) fn transport() -> ReqwestTransport {
    ReqwestTransport::new(TransportOptions::default()).unwrap()
}

pub(crate) fn get(address: impl std::fmt::Display) -> Request<Body> {
    let request = Request::get(address.to_string()).extension(PURPOSE);
    request.body(Body::Empty).unwrap()
}

fn post(address: impl std::fmt::Display) -> Builder {
    Request::post(address.to_string()).extension(PURPOSE)
}

fn within(limits: Limits, mut request: Request<Body>) -> Request<Body> {
    request.extensions_mut().insert(limits);
    request
}

async fn send(request: Request<Body>) -> Result<Response<Body>, TransportError> {
    transport().send(request).await
}

/// The whole body, or why it is missing.
pub(crate) async fn whole(response: Response<Body>) -> Result<Bytes, TransportError> {
    response.into_body().collect(u64::MAX).await
}

/// Why the exchange fails, at its head or in its body.
async fn failure(request: Request<Body>) -> TransportError {
    match send(request).await {
        Ok(response) => whole(response).await.unwrap_err(),
        Err(error) => error,
    }
}

/// The error and all its causes, as a log would show them.
fn everything(error: &TransportError) -> String {
    let mut text = format!("{error} {error:?}");
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text.push_str(&format!(" {error} {error:?}"));
        cause = error.source();
    }
    text
}
