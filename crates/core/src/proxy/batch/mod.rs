//! Several requests in one `multipart/mixed` body. Each is read, checked as if it were sent alone, and written again.
//!
//! Stead sends the product the requests as it understood them, under its own boundary, so the product can't find
//! different ones in the body. Headers that aren't forwarded are dropped, including every credential.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};

use super::{Address, headers, path};
use crate::{
    Error, ErrorKind, Result,
    product::{ProxyRules, RouteKind},
};

/// Maximum number of requests in a batch. The products' own limits are lower.
const MAX_PARTS: usize = 1000;
/// Maximum number of header lines of a request, or of the part that contains it.
const MAX_LINES: usize = 100;
/// Maximum length of a boundary (RFC 2046, section 5.1.1).
const MAX_BOUNDARY: usize = 70;

const CONTENT_ID: HeaderName = HeaderName::from_static("content-id");
const CONTENT_TRANSFER_ENCODING: HeaderName = HeaderName::from_static("content-transfer-encoding");

/// A batch that passed the rules.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) parts: Vec<Part>,
    /// Name of the origin of all requests.
    pub(crate) origin: &'static str,
    pub(crate) content_type: HeaderValue,
    pub(crate) body: Bytes,
}

/// One request of a batch, as policies and the quota see it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) method: Method,
    /// Without the query.
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Checks a batch, and rewrites it with the boundary `ours`, which no one can guess.
///
/// # Errors
/// [`ErrorKind::InvalidRequest`], [`ErrorKind::PathInvalid`] or [`ErrorKind::HeaderNotAllowed`]; the message says which
/// part is wrong.
pub(crate) fn check(
    rules: &ProxyRules,
    address: &Address<'_>,
    given: &HeaderMap,
    body: &[u8],
    ours: &str,
) -> Result<Batch> {
    if given.contains_key(header::CONTENT_ENCODING) {
        return Err(malformed(
            "a batch can't be compressed, because Stead reads it",
        ));
    }
    let boundary = boundary(given)?;
    let content_type = HeaderValue::try_from(format!("multipart/mixed; boundary={ours}"))
        .map_err(|_| malformed("the boundary isn't valid"))?;
    let mut parts = Vec::new();
    let mut origin = None;
    let mut written = Vec::with_capacity(body.len() + 1024);
    for (index, bytes) in split(body, &boundary)?.into_iter().enumerate() {
        let mut one = || {
            let (id, request) = open(bytes)?;
            let request = Request::read(rules, address, request)?;
            if *origin.get_or_insert(request.origin) != request.origin {
                return Err(malformed("all requests of a batch must go to the same API"));
            }
            request.write(&mut written, ours, id.as_ref());
            parts.push(request.part());
            Ok(())
        };
        one().map_err(|error| of_part(index, &error))?;
    }
    let origin = origin.ok_or_else(|| malformed("the batch has no requests"))?;
    written.extend_from_slice(format!("--{ours}--\r\n").as_bytes());
    Ok(Batch {
        parts,
        origin,
        content_type,
        body: written.into(),
    })
}

/// Whether a product's response to a batch says for every request in it that the token was rejected.
pub(crate) fn is_unauthorized(response: &[u8]) -> bool {
    let (mut at, mut after_head, mut refused) = (0, false, false);
    while at < response.len() {
        let (line, next) = line(response, at);
        at = next;
        if after_head && line.starts_with(b"HTTP/1.") {
            if line.get(8..12) != Some(b" 401") {
                return false;
            }
            refused = true;
        }
        after_head = line.is_empty();
    }
    refused
}

/// A fault of one part fails the whole request with 400.
fn of_part(index: usize, error: &Error) -> Error {
    let kind = match error.kind() {
        kind @ (ErrorKind::PathInvalid | ErrorKind::HeaderNotAllowed) => kind,
        _ => ErrorKind::InvalidRequest,
    };
    Error::new(
        kind,
        format!("part {} of the batch: {}", index + 1, error.message()),
    )
}

/// The boundary that `Content-Type` names.
fn boundary(given: &HeaderMap) -> Result<String> {
    let kind = given
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let wrong = || malformed("a batch needs `Content-Type: multipart/mixed; boundary=…`");
    let mut parameters = kind.ok_or_else(wrong)?.split(';').map(str::trim);
    if !parameters
        .next()
        .is_some_and(|kind| kind.eq_ignore_ascii_case("multipart/mixed"))
    {
        return Err(wrong());
    }
    let boundary = parameters
        .filter_map(|parameter| parameter.split_once('='))
        .find(|(name, _)| name.eq_ignore_ascii_case("boundary"))
        .map(|(_, value)| value.trim_matches('"'))
        .filter(|value| (1..=MAX_BOUNDARY).contains(&value.len()));
    boundary.map(str::to_owned).ok_or_else(wrong)
}

/// The parts between the delimiters (RFC 2046, section 5.1.1). Lines may end with a line feed only: client libraries
/// write them so.
fn split<'b>(body: &'b [u8], boundary: &str) -> Result<Vec<&'b [u8]>> {
    let delimiter = format!("--{boundary}");
    let mut parts = Vec::new();
    let mut start = None;
    let mut at = 0;
    while at < body.len() {
        let (line, next) = line(body, at);
        let rest = line
            .strip_prefix(delimiter.as_bytes())
            .map(<[u8]>::trim_ascii_end);
        if let Some(rest @ (b"" | b"--")) = rest {
            if let Some(start) = start {
                if parts.len() == MAX_PARTS {
                    return Err(malformed(format!(
                        "a batch has at most {MAX_PARTS} requests"
                    )));
                }
                parts.push(without_line_break(&body[start..at]));
            }
            if rest == b"--" {
                return Ok(parts);
            }
            start = Some(next);
        }
        at = next;
    }
    Err(malformed("the closing delimiter of the batch is missing"))
}

/// Returns the line that starts at `at`, and where the next one starts.
fn line(bytes: &[u8], at: usize) -> (&[u8], usize) {
    let rest = &bytes[at..];
    match rest.iter().position(|byte| *byte == b'\n') {
        Some(end) => (
            rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]),
            at + end + 1,
        ),
        None => (rest, bytes.len()),
    }
}

/// The line break before a delimiter belongs to the delimiter.
fn without_line_break(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}

/// Splits off the header lines, up to an empty line.
fn head(bytes: &[u8]) -> Result<(HeaderMap, &[u8])> {
    let mut headers = HeaderMap::new();
    let mut at = 0;
    while at < bytes.len() {
        let (line, next) = line(bytes, at);
        at = next;
        if line.is_empty() {
            break;
        }
        let parsed = line
            .iter()
            .position(|byte| *byte == b':')
            .and_then(|colon| {
                let name = HeaderName::from_bytes(&line[..colon]).ok()?;
                let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?;
                Some((name, value))
            });
        let (name, value) = parsed.ok_or_else(|| malformed("a line of its head isn't a header"))?;
        if headers.len() == MAX_LINES {
            return Err(malformed(format!(
                "expected at most {MAX_LINES} header lines"
            )));
        }
        headers.append(name, value);
    }
    Ok((headers, &bytes[at..]))
}

/// Returns the request in a part, and the ID that identifies its response.
fn open(part: &[u8]) -> Result<(Option<HeaderValue>, &[u8])> {
    let (headers, request) = head(part)?;
    let text = |name: &HeaderName| {
        headers
            .get(name)
            .map(HeaderValue::as_bytes)
            .unwrap_or_default()
    };
    let kind = text(&header::CONTENT_TYPE)
        .split(|byte| *byte == b';')
        .next();
    if !kind.is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(b"application/http")) {
        return Err(malformed("expected `Content-Type: application/http`"));
    }
    let encoding = text(&CONTENT_TRANSFER_ENCODING);
    let is_plain = |plain: &[u8]| encoding.eq_ignore_ascii_case(plain);
    if ![&b""[..], b"binary", b"7bit", b"8bit"]
        .into_iter()
        .any(is_plain)
    {
        return Err(malformed("its content can't have a transfer encoding"));
    }
    let mut ids = headers.get_all(CONTENT_ID).iter();
    let id = ids.next();
    if ids.next().is_some() || id.is_some_and(|id| !id.as_bytes().is_ascii()) {
        return Err(malformed("expected one `Content-ID` in ASCII"));
    }
    Ok((id.cloned(), request))
}

/// One request, checked.
struct Request<'b> {
    method: Method,
    origin: &'static str,
    path_and_query: String,
    headers: HeaderMap,
    body: &'b [u8],
}

impl<'b> Request<'b> {
    fn read(rules: &ProxyRules, address: &Address<'_>, bytes: &'b [u8]) -> Result<Self> {
        // Empty lines before a request line aren't part of it (RFC 9112, section 2.2).
        let mut at = 0;
        let request_line = loop {
            let (line, next) = line(bytes, at);
            at = next;
            if !line.is_empty() || at >= bytes.len() {
                break line;
            }
        };
        let request_line = std::str::from_utf8(request_line).unwrap_or_default();
        let mut words = request_line.split(' ');
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(malformed(
                "expected a request line such as `GET /path HTTP/1.1`",
            ));
        };
        if words
            .next()
            .is_some_and(|version| !version.starts_with("HTTP/"))
            || words.next().is_some()
        {
            return Err(malformed(
                "expected a request line of method, path and version",
            ));
        }
        let method = path::method(method)?;
        let resolved = path::resolve(rules, address.product_path(target)?)?;
        if resolved.route.kind != RouteKind::Plain {
            return Err(malformed("a batch can't contain uploads or batches"));
        }
        let (given, rest) = head(&bytes[at..])?;
        if given.contains_key(header::TRANSFER_ENCODING) {
            return Err(malformed(
                "its body needs a Content-Length and can't be chunked",
            ));
        }
        headers::check_no_override(&given)?;
        let mut headers = headers::received_headers(rules, &given)?;
        headers.remove(header::ACCEPT_ENCODING);
        Ok(Self {
            method,
            origin: resolved.route.origin,
            path_and_query: resolved.path_and_query,
            headers,
            body: body(&given, rest)?,
        })
    }

    fn part(self) -> Part {
        let (path, query) = match self.path_and_query.split_once('?') {
            Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
            None => (self.path_and_query, None),
        };
        Part {
            method: self.method,
            path,
            query,
            headers: self.headers,
            body: Bytes::copy_from_slice(self.body),
        }
    }

    fn write(&self, to: &mut Vec<u8>, boundary: &str, id: Option<&HeaderValue>) {
        let mut text =
            |pieces: &[&[u8]]| pieces.iter().for_each(|piece| to.extend_from_slice(piece));
        text(&[
            b"--",
            boundary.as_bytes(),
            b"\r\nContent-Type: application/http\r\n",
        ]);
        if let Some(id) = id {
            text(&[b"Content-ID: ", id.as_bytes(), b"\r\n"]);
        }
        let (method, target) = (self.method.as_str(), self.path_and_query.as_str());
        text(&[
            b"\r\n",
            method.as_bytes(),
            b" ",
            target.as_bytes(),
            b" HTTP/1.1\r\n",
        ]);
        for (name, value) in &self.headers {
            text(&[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"]);
        }
        if !self.body.is_empty() {
            let length = self.body.len().to_string();
            text(&[b"content-length: ", length.as_bytes(), b"\r\n"]);
        }
        text(&[b"\r\n", self.body, b"\r\n"]);
    }
}

/// The body of a request is the rest of its part. If the request has a `Content-Length`, it must match.
fn body<'b>(given: &HeaderMap, rest: &'b [u8]) -> Result<&'b [u8]> {
    let Some(length) = given.get(header::CONTENT_LENGTH) else {
        return Ok(rest);
    };
    let length: Option<usize> = length.to_str().ok().and_then(|length| length.parse().ok());
    let parts = length.and_then(|length| rest.split_at_checked(length));
    match parts {
        // Client libraries add a line break at the end of a part.
        Some((body, after)) if after.trim_ascii().is_empty() => Ok(body),
        _ => Err(malformed(
            "the length of its body differs from its `Content-Length`",
        )),
    }
}

fn malformed(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidRequest, message)
}

#[cfg(test)]
mod tests;
