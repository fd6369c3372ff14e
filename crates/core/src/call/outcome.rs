//! The stored outcome of a call with an idempotency key.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result, error::Problem, ports::Body, resource::Execution};

/// Set on every response that comes from an earlier call.
pub(super) const REPLAYED: HeaderName = HeaderName::from_static("stead-idempotent-replayed");

/// Outcome of a call.
#[derive(Serialize, Deserialize)]
pub(super) enum Outcome {
    /// The result of a tool.
    Execution(Execution),
    /// The product's response to a raw request.
    Response(Response),
    /// An error that a repeat would have again.
    Problem(Box<Problem>),
}

/// A complete response of a product.
#[derive(Serialize, Deserialize)]
pub(super) struct Response {
    status: u16,
    /// Values in base64, because not all of them are text.
    headers: Vec<(String, String)>,
    body: String,
}

impl Outcome {
    /// The outcome of a tool's call.
    pub(super) fn into_execution(self) -> Result<Execution> {
        match self {
            Self::Execution(mut execution) => {
                execution.replayed = true;
                Ok(execution)
            }
            Self::Problem(problem) => Err(Error::from(*problem).with_replayed(true)),
            Self::Response(_) => Err(mismatch()),
        }
    }

    /// The outcome of a raw request.
    pub(super) fn into_response(self) -> Result<http::Response<Body>> {
        match self {
            Self::Response(response) => response.into_http(),
            Self::Problem(problem) => Err(Error::from(*problem).with_replayed(true)),
            Self::Execution(_) => Err(mismatch()),
        }
    }
}

impl Response {
    pub(super) fn of(status: StatusCode, headers: &HeaderMap, body: &Bytes) -> Self {
        let header = |(name, value): (&HeaderName, &HeaderValue)| {
            (name.to_string(), STANDARD.encode(value.as_bytes()))
        };
        Self {
            status: status.as_u16(),
            headers: headers.iter().map(header).collect(),
            body: STANDARD.encode(body),
        }
    }

    fn into_http(self) -> Result<http::Response<Body>> {
        let read = || -> Option<http::Response<Body>> {
            let body = STANDARD.decode(&self.body).ok()?;
            let mut response = http::Response::new(Body::from(body));
            *response.status_mut() = StatusCode::from_u16(self.status).ok()?;
            for (name, value) in &self.headers {
                let value = HeaderValue::from_bytes(&STANDARD.decode(value).ok()?).ok()?;
                let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
                response.headers_mut().append(name, value);
            }
            let replayed = HeaderValue::from_static("true");
            response.headers_mut().insert(REPLAYED, replayed);
            Some(response)
        };
        read().ok_or_else(|| {
            let message = "the response of an earlier call with this key can't be read";
            Error::new(ErrorKind::IntegrityViolated, message)
        })
    }
}

/// The error if the key was used for a different request.
pub(super) fn mismatch() -> Error {
    Error::new(
        ErrorKind::IdempotencyMismatch,
        "this idempotency key was used for a different request in the last 24 hours; use a new key for a new request",
    )
}
