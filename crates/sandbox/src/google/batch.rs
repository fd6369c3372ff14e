//! Several requests in one (Gmail API, "Batching requests"): each part is a request of its own, and gets the response
//! that it would get outside of a batch.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use bytes::Bytes;
use mail_parser::{MessageParser, MimeHeaders as _, PartType};
use url::form_urlencoded;

use super::{check, errors::ApiError, method::Api, upload};

use crate::{
    google::State,
    request::Query,
    request::Request,
    response::{Response, ResponseBody},
};

/// Requests in a batch at most.
const MAX_REQUESTS: usize = 100;
/// Headers of an inner request at most.
const MAX_HEADERS: usize = 64;
/// Between the responses.
const BOUNDARY: &str = "batch_sandbox";

/// Runs the requests, one after the other.
pub(super) fn respond(api: &'static Api, state: &mut State, request: &Request) -> Response {
    match run(api, state, request) {
        Ok(body) => Response::whole(
            StatusCode::OK,
            "multipart/mixed; boundary=batch_sandbox",
            body,
        ),
        Err(error) => error.response(api.errors, true),
    }
}

fn run(api: &'static Api, state: &mut State, request: &Request) -> Result<Bytes, ApiError> {
    if request.method != Method::POST || !request.has_media_type("multipart/mixed") {
        return Err(ApiError::invalid(
            "A batch is a POST whose content type is multipart/mixed.",
        ));
    }
    let parts = parts(request)?;
    if parts.is_empty() {
        return Err(ApiError::invalid(format!(
            "Failed to parse batch request, error: 0 items. Received batch body: ({}) bytes redacted",
            request.body.len()
        )));
    }
    if parts.len() > MAX_REQUESTS {
        return Err(ApiError::invalid(format!(
            "The batch has {} requests, more than the limit of {MAX_REQUESTS}.",
            parts.len()
        )));
    }
    let mut body = Vec::new();
    for part in &parts {
        let response = match inner_request(request, part) {
            Ok(inner) => check::respond(api, state, &inner),
            Err(error) => error.response(api.errors, true),
        };
        write(&mut body, part.id.as_deref(), response);
    }
    body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    Ok(Bytes::from(body))
}

/// The request of a part. Headers and parameters of the batch count for it too, unless it has its own; those that
/// describe the batch's body do not.
fn inner_request(batch: &Request, part: &Part) -> Result<Request, ApiError> {
    let unreadable =
        || ApiError::invalid("Failed to parse batch request, error: a part is not a request.");
    if !part.is("application/http") {
        return Err(ApiError::invalid(
            "The content type of a batch's parts must be application/http.",
        ));
    }
    let text = with_version(&part.bytes).ok_or_else(unreadable)?;
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut head = httparse::Request::new(&mut headers);
    let Ok(httparse::Status::Complete(length)) = head.parse(&text) else {
        return Err(unreadable());
    };
    let (Some(method), Some(target)) = (head.method, head.path) else {
        return Err(unreadable());
    };
    let method: Method = method.parse().map_err(|_| unreadable())?;
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    if !path.starts_with('/') {
        return Err(unreadable());
    }
    // A client that was told the sandbox's address names the host there too.
    let below_host = path
        .strip_prefix('/')
        .and_then(|path| path.strip_prefix(batch.host.as_str()))
        .filter(|path| path.starts_with('/'));
    let path = below_host.unwrap_or(path);
    let query_of_part = Query::parse(query.unwrap_or_default().as_bytes());
    if upload::is_address(path) || query_of_part.first("alt") == Some("media") {
        return Err(ApiError::invalid(
            "Media uploads and downloads are not supported in a batch.",
        ));
    }
    let mut all = HeaderMap::new();
    for (name, value) in &batch.headers {
        if !name.as_str().starts_with("content-") && name != header::HOST {
            all.append(name, value.clone());
        }
    }
    for one in head.headers.iter() {
        if let (Ok(name), Ok(value)) = (
            HeaderName::from_bytes(one.name.as_bytes()),
            HeaderValue::from_bytes(one.value),
        ) {
            all.insert(name, value);
        }
    }
    let body = text.slice(length..);
    // The line end before the next boundary is not the body's where there is none.
    let body = if body.iter().all(u8::is_ascii_whitespace) {
        Bytes::new()
    } else {
        body
    };
    let query = joined(query, &query_of_part, &batch.query_parameters());
    let address = format!("/{}{path}", batch.host);
    Ok(Request::new(method, &address, query.as_deref(), all, body))
}

/// The request line may end without a version, and the head without an empty line.
fn with_version(part: &Bytes) -> Option<Bytes> {
    let start = part.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let part = part.slice(start..);
    let end = part
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(part.len());
    let line = std::str::from_utf8(part.get(..end)?).ok()?.trim_end();
    let mut text = line.as_bytes().to_vec();
    if line.split(' ').count() == 2 {
        text.extend_from_slice(b" HTTP/1.1");
    }
    text.extend_from_slice(b"\r\n");
    text.extend_from_slice(part.get(end + 1..).unwrap_or_default());
    let has_end = [&b"\r\n\r\n"[..], b"\n\n", b"\r\n\n"]
        .iter()
        .any(|end| text.windows(end.len()).any(|window| window == *end));
    if !has_end {
        text.extend_from_slice(b"\r\n\r\n");
    }
    Some(Bytes::from(text))
}

/// The part's parameters, and those of the batch that it does not have.
fn joined(text: Option<&str>, part: &Query, batch: &Query) -> Option<String> {
    let mut more = form_urlencoded::Serializer::new(String::new());
    for (name, value) in batch.iter().filter(|(name, _)| part.first(name).is_none()) {
        more.append_pair(name, value);
    }
    match (text, more.finish()) {
        (text, more) if more.is_empty() => text.map(str::to_owned),
        (Some(text), more) if !text.is_empty() => Some(format!("{text}&{more}")),
        (_, more) => Some(more),
    }
}

/// Writes a response as a part.
fn write(body: &mut Vec<u8>, id: Option<&str>, response: Response) {
    let mut head = format!("--{BOUNDARY}\r\nContent-Type: application/http\r\n");
    if let Some(id) = id {
        let id = match id.strip_prefix('<') {
            Some(rest) => format!("<response-{rest}"),
            None => format!("response-{id}"),
        };
        head.push_str(&format!("Content-ID: {id}\r\n"));
    }
    let status = response.status;
    let reason = status.canonical_reason().unwrap_or_default();
    head.push_str(&format!("\r\nHTTP/1.1 {} {reason}\r\n", status.as_u16()));
    body.extend_from_slice(head.as_bytes());
    for (name, value) in &response.headers {
        body.extend_from_slice(name.as_str().as_bytes());
        body.extend_from_slice(b": ");
        body.extend_from_slice(value.as_bytes());
        body.extend_from_slice(b"\r\n");
    }
    let content = match response.body {
        ResponseBody::Whole(bytes) => bytes,
        ResponseBody::Padding(_) => Bytes::new(),
    };
    let has_length = status != StatusCode::NO_CONTENT && status != StatusCode::NOT_MODIFIED;
    if has_length {
        body.extend_from_slice(format!("content-length: {}\r\n", content.len()).as_bytes());
    }
    body.extend_from_slice(b"\r\n");
    body.extend_from_slice(&content);
    body.extend_from_slice(b"\r\n");
}

/// A part as it came.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Value of its `Content-Type`; empty where it has none.
    pub(super) kind: String,
    /// Value of its `Content-ID`.
    pub(super) id: Option<String>,
    pub(super) bytes: Bytes,
}

impl Part {
    /// Whether its type is this one.
    pub(super) fn is(&self, media_type: &str) -> bool {
        let given = self.kind.split(';').next().unwrap_or_default().trim();
        given.eq_ignore_ascii_case(media_type)
    }
}

/// The parts of a body whose type begins with `multipart/`.
pub(super) fn parts(request: &Request) -> Result<Vec<Part>, ApiError> {
    let kind = request.header("content-type").unwrap_or_default();
    let mut text = format!("Content-Type: {kind}\r\n\r\n").into_bytes();
    text.extend_from_slice(&request.body);
    let text = Bytes::from(text);
    let message = MessageParser::new().parse(&text);
    let message = message.filter(|message| {
        let root = message.root_part().content_type();
        root.is_some_and(|kind| kind.attribute("boundary").is_some())
    });
    let message = message.ok_or_else(no_boundary)?;
    let PartType::Multipart(ids) = &message.root_part().body else {
        return Err(no_boundary());
    };
    let place = |offset: u32| usize::try_from(offset).unwrap_or_default();
    let found = ids.iter().filter_map(|id| message.part(*id)).map(|part| {
        let header = |name: &str| {
            let header = part
                .headers
                .iter()
                .find(|header| header.name().eq_ignore_ascii_case(name))?;
            let value = text.slice(place(header.offset_start)..place(header.offset_end));
            Some(String::from_utf8_lossy(&value).trim().to_owned())
        };
        Part {
            kind: header("Content-Type").unwrap_or_default(),
            id: header("Content-ID"),
            bytes: text.slice(place(part.offset_body)..place(part.offset_end)),
        }
    });
    Ok(found.collect())
}

fn no_boundary() -> ApiError {
    ApiError::invalid("Missing or malformed boundary of the multipart body.")
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, Method, header};

    use super::*;

    fn read(kind: &str, body: &'static [u8]) -> Option<Vec<Part>> {
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, kind.parse().unwrap())]);
        let body = Bytes::from_static(body);
        parts(&Request::new(Method::POST, "/h/p", None, headers, body)).ok()
    }

    #[test]
    fn parts_keep_their_bytes() {
        let body = b"--b x\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{\"a\": 1}\r\n--b x\r\n\
            content-type: image/png\r\nContent-ID: <a + 1>\r\n\r\n\x89PNG\r\n\x00--b\xff\n\r\n--b x--\r\n";
        let found = read("multipart/related; boundary=\"b x\"", body).unwrap();
        assert_eq!(found.len(), 2);
        assert!(found[0].is("application/json") && !found[0].is("image/png"));
        assert_eq!(found[0].bytes, "{\"a\": 1}");
        assert_eq!(found[1].kind, "image/png");
        assert_eq!(found[1].id.as_deref(), Some("<a + 1>"));
        assert_eq!(found[1].bytes, b"\x89PNG\r\n\x00--b\xff\n"[..]);
    }

    #[test]
    fn lines_may_end_without_a_return() {
        let body =
            b"--b\nContent-Type: application/json\n\n{}\n--b\nContent-Type: message/rfc822\n\n\
            Subject: Tea\n\nCake\n--b--";
        let found = read("multipart/related; boundary=b", body).unwrap();
        assert_eq!(found[0].bytes, "{}");
        assert_eq!(found[1].bytes, "Subject: Tea\n\nCake");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn bodies_without_a_boundary_are_refused() {
        for kind in ["multipart/related", "application/json"] {
            assert_eq!(read(kind, b"--b\r\n\r\nx\r\n--b--"), None, "{kind}");
        }
    }
}
