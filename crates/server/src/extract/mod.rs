//! Extractors: the parts of a request that handlers read. An error is a problem that names the faulty place.

mod acting;
mod body;
mod idempotency_key;
pub(crate) mod json;
mod path;
mod query;

pub(crate) use acting::Acting;
pub(crate) use body::{KeepsComing, collect};
pub(crate) use idempotency_key::IdempotencyKey;
pub(crate) use json::Json;
pub(crate) use path::Path;
pub(crate) use query::Query;

use stead::Error;
use stead_core::error::Violation;

/// A malformed request, with the place of the fault as a JSON pointer into the body or the query.
pub(crate) fn invalid(
    pointer: impl Into<String>,
    keyword: &str,
    message: impl AsRef<str>,
) -> Error {
    // The message may quote the request, whose values can have any length.
    let message: String = message.as_ref().chars().take(300).collect();
    Error::invalid(vec![Violation::new(pointer, keyword, message)])
}
