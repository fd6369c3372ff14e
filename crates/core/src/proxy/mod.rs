//! What a raw request may be: its method, path, query and headers, and what of the product's response is passed on.
//! Rules only; `call` sends.

mod headers;
mod path;
mod response;

use http::{HeaderMap, HeaderValue, Method, header, request};
use serde_json::{Map, Value};

use crate::{Result, product::ProxyRules};

pub(crate) use response::passed_on;

/// A request that passed the rules.
pub(crate) struct Checked {
    pub(crate) method: Method,
    /// Name of the product's origin.
    pub(crate) origin: &'static str,
    /// As they go over the wire.
    pub(crate) path_and_query: String,
    pub(crate) headers: HeaderMap,
}

/// Checks a request whose parts are given one by one.
///
/// # Errors
/// [`PathInvalid`](crate::ErrorKind::PathInvalid), [`MethodNotAllowed`](crate::ErrorKind::MethodNotAllowed) or
/// [`HeaderNotAllowed`](crate::ErrorKind::HeaderNotAllowed).
pub(crate) fn check_written<'a>(
    rules: &ProxyRules,
    method: &str,
    path: &str,
    query: &Map<String, Value>,
    headers: impl Iterator<Item = (&'a str, &'a [u8])>,
    has_json_body: bool,
) -> Result<Checked> {
    let method = path::method(method)?;
    let resolved = path::resolve(rules, path)?;
    let path_and_query = path::with_query(&resolved.path_and_query, query)?;
    let mut headers = headers::request_headers(rules, headers)?;
    if has_json_body {
        headers
            .entry(header::CONTENT_TYPE)
            .or_insert(HeaderValue::from_static("application/json"));
    }
    Ok(Checked {
        method,
        origin: resolved.origin,
        path_and_query,
        headers,
    })
}

/// Checks a request as it came over HTTP: its URI is the product's path and query, byte for byte. `behind_proxy` says
/// that a TLS proxy stands before us.
///
/// # Errors
/// As [`check_written`].
pub(crate) fn check_received(
    rules: &ProxyRules,
    head: &request::Parts,
    behind_proxy: bool,
) -> Result<Checked> {
    let method = path::method(head.method.as_str())?;
    let raw = head.uri.path_and_query().map_or("", |raw| raw.as_str());
    let resolved = path::resolve(rules, raw)?;
    Ok(Checked {
        method,
        origin: resolved.origin,
        path_and_query: resolved.path_and_query,
        headers: headers::streamed_headers(rules, &head.headers, behind_proxy)?,
    })
}
