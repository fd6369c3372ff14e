//! The id of a request: in problems, on pages as the support id, and in the log.
//!
//! It is always made here. An id that the caller sent would be repeated in the log, and passed on to the product.

use std::{convert::Infallible, fmt};

use axum::extract::FromRequestParts;
use http::request::Parts;
use stead::core::ports::Entropy;

/// Id of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestId(u64);

impl RequestId {
    pub(crate) fn new(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 8];
        entropy.fill(&mut bytes);
        Self(u64::from_ne_bytes(bytes))
    }

    /// Reads an id back; `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text
            .strip_prefix("req_")
            .filter(|digits| digits.len() == 16)?;
        digits
            .bytes()
            .all(|digit| digit.is_ascii_hexdigit())
            .then(|| u64::from_str_radix(digits, 16).ok().map(Self))?
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "req_{:016x}", self.0)
    }
}

impl<S: Sync> FromRequestParts<S> for RequestId {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().copied().unwrap_or(Self(0)))
    }
}
