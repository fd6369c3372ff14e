//! Several requests in one (Gmail API, "Batching requests"). Each part is a request of its own, and gets the same
//! response as outside of a batch.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use bytes::Bytes;
use url::form_urlencoded;

use super::{
    Api, check,
    errors::ApiError,
    upload::{self, Part},
};
use crate::{
    google::State,
    request::Query,
    request::Request,
    response::{Response, ResponseBody},
};

/// The largest number of requests in a batch.
const MAX_REQUESTS: usize = 100;
/// The largest number of headers of an inner request.
const MAX_HEADERS: usize = 64;
/// The boundary between the responses.
const BOUNDARY: &str = "batch_sandbox";

/// Runs the requests one after the other.
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
    let parts = upload::parts(request)?;
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

/// The request of a part. It inherits the batch's headers and parameters unless it has its own, but not those that
/// describe the batch's body.
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
    // If the client was given the sandbox's address, the path begins with the host.
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
    // The line end before the next boundary doesn't belong to an empty body.
    let body = if body.iter().all(u8::is_ascii_whitespace) {
        Bytes::new()
    } else {
        body
    };
    let query = joined(query, &query_of_part, &batch.query_parameters());
    let address = format!("/{}{path}", batch.host);
    Ok(Request::new(method, &address, query.as_deref(), all, body))
}

/// Completes a request line without a version, and a head without an empty line at the end.
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

/// The part's parameters, and those of the batch that the part doesn't have.
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
