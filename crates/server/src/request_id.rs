//! A request's ID, which problems, pages (as the support ID) and the log contain; and the trace that its caller names.
//!
//! Stead always generates it. An ID from the caller would be copied into the log and sent to the product.

use std::{
    convert::Infallible,
    fmt,
    ops::Deref,
    sync::atomic::{AtomicU64, Ordering},
};

use axum::extract::FromRequestParts;
use http::{Extensions, HeaderMap, request::Parts};
use stead_core::{environment::Environment, ports::Entropy, trace::TraceParent};

/// ID of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestId(u64);

/// Generates IDs from a random start, so that those of two processes differ. One random number is enough for all
/// requests.
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
        // Multiplying by an odd number maps counts to IDs one to one, and spreads them.
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        RequestId(
            self.seed
                .wrapping_add(count.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        )
    }
}

/// An ID as a text on the stack.
pub(crate) struct Text([u8; 20]);

impl Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl RequestId {
    /// The ID of the request with these extensions.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        extensions.get().copied().unwrap_or(Self(0))
    }

    /// The ID as text.
    pub(crate) fn text(self) -> Text {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = *b"req_0000000000000000";
        for (place, digit) in text[4..].iter_mut().zip((0..16).rev()) {
            *place = DIGITS[(self.0 >> (digit * 4) & 0xf) as usize];
        }
        Text(text)
    }

    /// Parses an ID. `None` for any other text.
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

/// The environment for the request with these extensions, in the trace that its caller named.
pub(crate) fn in_request(environment: Environment, extensions: &Extensions) -> Environment {
    let environment = environment.in_request(&RequestId::of(extensions).text());
    match extensions.get::<TraceParent>() {
        Some(parent) => environment.in_trace(parent.trace_id),
        None => environment,
    }
}

/// The trace that a request names. `None` if there are several headers.
pub(crate) fn trace_parent(headers: &HeaderMap) -> Option<TraceParent> {
    let mut given = headers.get_all("traceparent").iter();
    let (Some(value), None) = (given.next(), given.next()) else {
        return None;
    };
    TraceParent::parse(value.to_str().ok()?)
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl<S: Sync> FromRequestParts<S> for RequestId {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.extensions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_written_in_full_and_read_back() {
        for (id, text) in [
            (0, "req_0000000000000000"),
            (0x0123_4567_89ab_cdef, "req_0123456789abcdef"),
            (u64::MAX, "req_ffffffffffffffff"),
        ] {
            assert_eq!(RequestId(id).to_string(), text);
            assert_eq!(RequestId::parse(text), Some(RequestId(id)));
        }
    }
}
