//! Rules for raw requests: their method, path, query and headers, and which parts of the product's response are
//! forwarded. Sending them is up to `call`.

mod address;
mod batch;
mod effect;
mod headers;
mod path;
mod response;
mod template;

use http::{HeaderMap, HeaderValue, Method, header, request, uri::PathAndQuery};
use serde_json::{Map, Value};

use crate::{
    Error, ErrorKind, Result,
    product::{ProxyRules, RouteKind, SentRequest},
};

pub(crate) use address::Address;
pub(crate) use batch::{Part, check as check_batch, is_unauthorized};
pub(crate) use effect::effect;
pub(crate) use path::MAX_QUERY;
pub(crate) use response::passed_on;
pub(crate) use template::template;

/// Checks what must hold for any path.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use path::property::holds as path_holds;

/// A request that passed the rules.
pub(crate) struct Checked {
    pub(crate) method: Method,
    /// Name of the product's origin.
    pub(crate) origin: &'static str,
    pub(crate) kind: RouteKind,
    /// Path and query as sent.
    pub(crate) path_and_query: String,
    pub(crate) headers: HeaderMap,
}

impl Checked {
    /// The method, path and query, for a product's rules that don't need the body.
    pub(crate) fn sent(&self) -> SentRequest<'_> {
        let (path, query) = match self.path_and_query.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (self.path_and_query.as_str(), None),
        };
        SentRequest {
            method: &self.method,
            path,
            query,
            content_type: None,
            body: None,
        }
    }

    /// Adds these headers, unless the request already has them.
    pub(crate) fn with(mut self, headers: Vec<(&'static str, HeaderValue)>) -> Self {
        for (name, value) in headers {
            self.headers.entry(name).or_insert(value);
        }
        self
    }
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
        origin: resolved.route.origin,
        kind: resolved.route.kind,
        path_and_query,
        headers,
    })
}

/// Checks a request that came over HTTP. Its URI is the product's path and query, byte for byte.
///
/// # Errors
/// As [`check_written`].
pub(crate) fn check_received(rules: &ProxyRules, head: &request::Parts) -> Result<Checked> {
    let method = path::method(head.method.as_str())?;
    let raw = head.uri.path_and_query().map_or("", PathAndQuery::as_str);
    let resolved = path::resolve(rules, raw)?;
    Ok(Checked {
        method,
        origin: resolved.route.origin,
        kind: resolved.route.kind,
        path_and_query: resolved.path_and_query,
        headers: headers::received_headers(rules, &head.headers)?,
    })
}

/// Whether the product has a route for this path.
pub(crate) fn has_route(rules: &ProxyRules, path_and_query: &str) -> bool {
    path::resolve(rules, path_and_query).is_ok()
}

/// Whether a request is a `GET` with its query in the body. The product's client libraries send long queries this way.
///
/// # Errors
/// [`HeaderNotAllowed`](crate::ErrorKind::HeaderNotAllowed) for any other change of the method by a header.
pub(crate) fn is_get_as_form(rules: &ProxyRules, head: &request::Parts) -> Result<bool> {
    headers::is_get_as_form(rules, head)
}

/// Turns such a request into a `GET`.
///
/// # Errors
/// [`PathInvalid`](crate::ErrorKind::PathInvalid) if the body is not a query.
pub(crate) fn into_get(head: &mut request::Parts, query: &[u8]) -> Result<()> {
    let invalid = || Error::new(ErrorKind::PathInvalid, "the body isn't the query of a GET");
    let query = std::str::from_utf8(query).map_err(|_| invalid())?;
    // A URI's query ends at this character.
    if query.contains('#') {
        return Err(invalid());
    }
    let target = head.uri.path_and_query().map_or("/", PathAndQuery::as_str);
    let separator = if target.contains('?') { '&' } else { '?' };
    let target = format!("{target}{separator}{query}");
    let target = PathAndQuery::try_from(target).map_err(|_| invalid())?;
    head.uri = target.into();
    head.method = Method::GET;
    for name in [
        header::CONTENT_TYPE,
        header::CONTENT_LENGTH,
        header::TRANSFER_ENCODING,
    ] {
        head.headers.remove(name);
    }
    Ok(())
}
