//! The caller's headers. Only a short list is forwarded. If the caller wrote the headers one by one, any other header
//! is refused by name. If they came with an HTTP request, any other header is dropped.
//!
//! An unknown header could carry another credential, method or host, so no header is forwarded just because it looks
//! harmless. But a caller can't leave out headers that a client library, load balancer, mesh or tracing agent adds, so
//! over HTTP they aren't refused. Stead sets `Host`, `Authorization`, `Content-Length` and `User-Agent` itself.

use http::{HeaderMap, HeaderName, HeaderValue, Method, header, request};

use crate::{Error, ErrorKind, Result, product::ProxyRules, scrub::scrub};

/// Headers that pass for every product, in addition to those that [`ProxyRules::takes_header`] names.
const PASSED: &[&str] = &[
    "accept",
    "accept-language",
    "content-type",
    "idempotency-key",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "range",
];

/// Headers in [`PASSED`] whose value is a list, so that the header may be repeated (RFC 9110, section 5.3).
const LISTS: &[&str] = &[
    "accept",
    "accept-encoding",
    "accept-language",
    "if-match",
    "if-none-match",
];

/// Headers that ask the server to treat a request as one with another method.
static OVERRIDES: [HeaderName; 3] = [
    HeaderName::from_static("x-http-method"),
    HeaderName::from_static("x-http-method-override"),
    HeaderName::from_static("x-method-override"),
];

/// Maximum number of headers that pass.
const MAX_COUNT: usize = 100;

/// Maximum number of bytes in names and values that pass.
const MAX_BYTES: usize = 64 * 1024;

/// Maximum number of characters of a header's name in a message.
const MAX_ECHO: usize = 80;

/// Checks headers that the caller listed one by one.
///
/// # Errors
/// [`ErrorKind::HeaderNotAllowed`], naming the header.
pub(super) fn request_headers<'a>(
    rules: &ProxyRules,
    given: impl Iterator<Item = (&'a str, &'a [u8])>,
) -> Result<HeaderMap> {
    let mut passed = Passed::new(rules);
    for (name, value) in given {
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| refused(name, "isn't a header name"))?;
        // `HeaderValue` accepts no zero byte and no line breaks, so no folded lines either (RFC 9112, section 5.2).
        let value = HeaderValue::from_bytes(value)
            .map_err(|_| refused(name, "has a character that a header can't contain"))?;
        if !passed.takes(&parsed) {
            return Err(refused(name, "isn't forwarded by the proxy; remove it"));
        }
        passed.add(parsed, value)?;
    }
    Ok(passed.headers)
}

/// Returns the allowed headers of a request that came over HTTP. Drops all others.
///
/// The response goes to the caller, so the caller also chooses its compression.
///
/// # Errors
/// [`ErrorKind::HeaderNotAllowed`], naming the header: one that passes has a value that cannot, or the framing can be
/// read in two ways.
pub(super) fn received_headers(rules: &ProxyRules, given: &HeaderMap) -> Result<HeaderMap> {
    check_framing(given)?;
    let mut passed = Passed::new(rules);
    for (name, value) in given {
        if passed.takes(name) || name == header::ACCEPT_ENCODING {
            passed.add(name.clone(), value.clone())?;
        }
    }
    Ok(passed.headers)
}

/// Whether a request is a `GET` sent as a `POST`, with the query in the body.
///
/// # Errors
/// [`ErrorKind::HeaderNotAllowed`] if a header asks for a method in any other way: the checks and the policy would
/// see another method than the product.
pub(super) fn is_get_as_form(rules: &ProxyRules, head: &request::Parts) -> Result<bool> {
    let Err(no) = check_no_override(&head.headers) else {
        return Ok(false);
    };
    let all_say_get = OVERRIDES
        .iter()
        .flat_map(|name| head.headers.get_all(name))
        .all(|value| value.as_bytes().eq_ignore_ascii_case(b"GET"));
    let is_form = head
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|kind| {
            kind.trim()
                .eq_ignore_ascii_case("application/x-www-form-urlencoded")
        });
    let is_plain = !head.headers.contains_key(header::CONTENT_ENCODING);
    let is_post = head.method == Method::POST;
    if rules.takes_get_as_form && is_post && all_say_get && is_form && is_plain {
        Ok(true)
    } else {
        Err(no)
    }
}

/// Rejects a request that asks to be treated as one with another method.
pub(super) fn check_no_override(given: &HeaderMap) -> Result<()> {
    match OVERRIDES.iter().find(|name| given.contains_key(*name)) {
        None => Ok(()),
        Some(name) => Err(refused(
            name.as_str(),
            "can't change the method; it works only for a GET with its query sent as a form, if the product supports that",
        )),
    }
}

/// Headers that have passed, and their size.
struct Passed<'r> {
    rules: &'r ProxyRules,
    headers: HeaderMap,
    bytes: usize,
}

impl<'r> Passed<'r> {
    fn new(rules: &'r ProxyRules) -> Self {
        Self {
            rules,
            headers: HeaderMap::new(),
            bytes: 0,
        }
    }

    /// `HeaderName` keeps names in lower case.
    fn takes(&self, name: &HeaderName) -> bool {
        PASSED.contains(&name.as_str()) || (self.rules.takes_header)(name.as_str())
    }

    fn add(&mut self, name: HeaderName, value: HeaderValue) -> Result<()> {
        let bytes = value.as_bytes();
        if !bytes.is_ascii() || bytes.trim_ascii().len() != bytes.len() {
            return Err(refused(
                name.as_str(),
                "must be ASCII, without spaces at the start or end",
            ));
        }
        self.bytes += name.as_str().len() + bytes.len();
        if self.headers.len() == MAX_COUNT || self.bytes > MAX_BYTES {
            return Err(Error::new(
                ErrorKind::HeaderNotAllowed,
                format!(
                    "the proxy forwards at most {MAX_COUNT} headers with {MAX_BYTES} bytes in total"
                ),
            ));
        }
        if self.headers.contains_key(&name) && !LISTS.contains(&name.as_str()) {
            return Err(refused(name.as_str(), "is given twice"));
        }
        self.headers.append(name, value);
        Ok(())
    }
}

/// Allows either one length or chunks. A request that could be read in two ways is rejected (RFC 9112, section 6.3).
/// Stead sends the body on with its own framing in any case.
fn check_framing(given: &HeaderMap) -> Result<()> {
    let mut codings = given.get_all(header::TRANSFER_ENCODING).iter();
    let coding = codings.next();
    if codings.next().is_some()
        || coding.is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked"))
    {
        return Err(refused("transfer-encoding", "can only be chunked"));
    }
    let mut lengths = given.get_all(header::CONTENT_LENGTH).iter();
    let length = lengths.next();
    if lengths.next().is_some() || length.is_some_and(|length| !is_number(length.as_bytes())) {
        return Err(refused("content-length", "must be one number"));
    }
    if coding.is_some() && length.is_some() {
        return Err(refused(
            "content-length",
            "can't be combined with transfer-encoding",
        ));
    }
    Ok(())
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

fn refused(name: &str, why: &str) -> Error {
    Error::new(
        ErrorKind::HeaderNotAllowed,
        format!("the header {:?} {why}", scrub(name, MAX_ECHO)),
    )
}

#[cfg(test)]
mod tests;
