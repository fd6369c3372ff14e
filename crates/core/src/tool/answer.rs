use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Error, ErrorKind, Result, error::Upstream};

/// A product's answer, read to its end and decompressed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Headers.
    pub headers: HeaderMap,
    /// Body, decompressed.
    pub body: Bytes,
    /// 1 for the first sending, 2 for the first repeat, and so on.
    pub attempt: u8,
}

impl Answer {
    /// An answer to the first sending.
    pub fn new(status: u16, headers: HeaderMap, body: impl Into<Bytes>) -> Self {
        Self { status, headers, body: body.into(), attempt: 1 }
    }

    /// Says which sending this answers.
    #[must_use]
    pub fn with_attempt(mut self, attempt: u8) -> Self {
        self.attempt = attempt;
        self
    }

    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        StatusCode::from_u16(self.status).is_ok_and(|status| status.is_success())
    }

    /// A header's value where it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body as JSON; an empty body is `null`.
    ///
    /// # Errors
    /// [`ErrorKind::ProductProtocolError`] where the body is not JSON of this shape.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        let body: &[u8] = if self.body.is_empty() { b"null" } else { &self.body };
        serde_json::from_slice(body).map_err(|error| {
            Error::new(ErrorKind::ProductProtocolError, "the product's answer is not the JSON that its description promises")
                .with_context("place", format!("line {}, column {}", error.line(), error.column()))
                .with_upstream(Upstream::new(self.status))
        })
    }

    /// The body as a JSON value, or `null` where it is none: for reading errors.
    pub fn json_or_null(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}
