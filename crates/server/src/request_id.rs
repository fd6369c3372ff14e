//! The id of a request: in problems, on pages as the support id, and in the log; and the trace that its caller names.
//!
//! It is always made here. An id that the caller sent would be repeated in the log, and passed on to the product.

use std::{
    convert::Infallible,
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

use axum::extract::FromRequestParts;
use http::{Extensions, HeaderMap, request::Parts};
use stead::core::{environment::Environment, ports::Entropy, trace::TraceParent};

/// Id of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestId(u64);

/// Ids from a random place on, so that those of two processes do not meet: one draw of randomness serves all requests.
#[derive(Debug)]
pub(crate) struct RequestIds {
    seed: u64,
    count: AtomicU64,
}

impl RequestIds {
    pub(crate) fn new(entropy: &dyn Entropy) -> Self {
        let mut seed = [0; 8];
        entropy.fill(&mut seed);
        Self {
            seed: u64::from_ne_bytes(seed),
            count: AtomicU64::new(0),
        }
    }

    pub(crate) fn next(&self) -> RequestId {
        // An odd factor maps counts to ids one to one and scatters them.
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        RequestId(
            self.seed
                .wrapping_add(count.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        )
    }
}

impl RequestId {
    /// The id of the request with these extensions.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        extensions.get().copied().unwrap_or(Self(0))
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

/// The environment in the request with these extensions, and in the trace that its caller named.
pub(crate) fn in_request(environment: &Environment, extensions: &Extensions) -> Environment {
    let environment = environment.in_request(&RequestId::of(extensions).to_string());
    match extensions.get::<TraceParent>() {
        Some(parent) => environment.in_trace(parent.trace_id),
        None => environment,
    }
}

/// The trace that a request names, where it names one; of several headers none counts.
pub(crate) fn trace_parent(headers: &HeaderMap) -> Option<TraceParent> {
    let mut given = headers.get_all("traceparent").iter();
    let (Some(value), None) = (given.next(), given.next()) else {
        return None;
    };
    TraceParent::parse(value.to_str().ok()?)
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "req_{:016x}", self.0)
    }
}

impl<S: Sync> FromRequestParts<S> for RequestId {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.extensions))
    }
}
