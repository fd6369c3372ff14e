//! Accepts messages of common clients that differ slightly from the protocol, and responds in a form that they accept.

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::Request,
    response::Response,
};
use futures_util::StreamExt as _;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts};
use serde_json::{Map, Value, json};

/// Maximum size of a message in bytes, as for a body of the REST API.
pub(crate) const LARGEST: usize = 10 * 1024 * 1024;
const JSON: &str = "application/json";
const STREAM: &str = "text/event-stream";
/// Version for a client that names none: the newest one that opens sessions.
const VERSION: &str = "2025-11-25";

/// Forms of a response that a client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Both,
    Json,
    Stream,
    /// Neither. The transport rejects the request.
    Neither,
}

impl Takes {
    /// The protocol requires clients to name both. A client that names only one gets that one. `*/*` or no header means
    /// JSON.
    fn of(headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(header::ACCEPT).iter();
        let accepted: Vec<String> = accepted
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|one| {
                one.split(';')
                    .next()
                    .unwrap_or_default()
                    .trim()
                    .to_ascii_lowercase()
            })
            .filter(|one| !one.is_empty())
            .collect();
        let takes = |kinds: &[&str]| accepted.iter().any(|one| kinds.contains(&one.as_str()));
        if takes(&[JSON]) && takes(&[STREAM]) {
            Self::Both
        } else if accepted.is_empty() || takes(&[JSON, "application/*", "*/*"]) {
            Self::Json
        } else if takes(&[STREAM, "text/*"]) {
            Self::Stream
        } else {
            Self::Neither
        }
    }
}

/// Marks a request whose client accepts one message and no stream.
#[derive(Debug, Clone)]
pub(super) struct OneMessage;

/// A request as the client sent it.
pub(super) struct Asked {
    takes: Takes,
    parts: Parts,
    body: Bytes,
}

impl Asked {
    /// The request, and its form for the transport.
    pub(super) async fn read(request: Request) -> (Self, Request) {
        let (mut parts, body) = request.into_parts();
        // The length was checked before, so only the connection can fail here.
        let mut body = to_bytes(body, LARGEST).await.unwrap_or_default();
        // If a call has a list of arguments, the transport reads it as an unknown method.
        if body.windows(2).any(|two| two == b"[]")
            && let Some(repaired) = repaired(&body)
        {
            body = repaired;
        }
        let takes = Takes::of(&parts.headers);
        let both = HeaderValue::from_static("application/json, text/event-stream");
        if matches!(takes, Takes::Json | Takes::Stream) {
            parts.headers.insert(header::ACCEPT, both);
        }
        if takes == Takes::Json {
            parts.extensions.insert(OneMessage);
        }
        if !body.is_empty() && !parts.headers.contains_key(header::CONTENT_TYPE) {
            let json = HeaderValue::from_static(JSON);
            parts.headers.insert(header::CONTENT_TYPE, json);
        }
        let asked = Self { takes, parts, body };
        let request = asked.request(asked.body.clone());
        (asked, request)
    }

    fn request(&self, body: Bytes) -> Request {
        let mut parts = self.parts.clone();
        parts.headers.remove(header::CONTENT_LENGTH);
        Request::from_parts(parts, Body::from(body))
    }

    /// A corrected request, if the transport rejected it and its meaning is clear.
    pub(super) fn repaired(&self, response: &Response) -> Option<Request> {
        let refused = [StatusCode::BAD_REQUEST, StatusCode::UNSUPPORTED_MEDIA_TYPE];
        if self.parts.method != Method::POST || !refused.contains(&response.status()) {
            return None;
        }
        Some(self.request(repaired(&self.body)?))
    }

    /// The response in a form that the client accepts.
    pub(super) async fn respond(self, response: Response) -> Response {
        let kind = response.headers().get(header::CONTENT_TYPE);
        let is = |name: &str| {
            let kind = kind.and_then(|kind| kind.to_str().ok());
            kind.is_some_and(|kind| kind.starts_with(name))
        };
        let (is_json, is_stream) = (is(JSON), is(STREAM));
        if self.parts.method == Method::DELETE && response.status() == StatusCode::ACCEPTED {
            // Some clients treat a 202 as a failure.
            return with_status(response, StatusCode::NO_CONTENT);
        }
        if response.status().is_client_error() && !is_json {
            return self.error(response).await;
        }
        match self.takes {
            Takes::Json if is_stream && self.parts.method == Method::POST => first(response).await,
            Takes::Stream if is_json => as_event(response).await,
            _ => response,
        }
    }

    /// The transport's error text as a JSON-RPC error.
    async fn error(&self, response: Response) -> Response {
        let (head, body) = response.into_parts();
        let said = to_bytes(body, LARGEST).await.unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let said = match said.as_ref() {
            words if words.contains("Session ID is required") => {
                "send initialize first, then send every message with the Mcp-Session-Id of its response"
            }
            "" => head.status.canonical_reason().unwrap_or("refused"),
            words => words,
        };
        let message: Option<Value> = serde_json::from_slice(&self.body).ok();
        let id = message.and_then(|mut message| message.get_mut("id").map(Value::take));
        let error =
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32600, "message": said } });
        let mut response = Response::new(Body::from(error.to_string()));
        *response.status_mut() = head.status;
        let json = HeaderValue::from_static(JSON);
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        response
    }
}

/// The corrected message, if it differs.
fn repaired(body: &[u8]) -> Option<Bytes> {
    let message: Value = serde_json::from_slice(body).ok()?;
    let repaired = repair(message.clone());
    (repaired != message).then(|| repaired.to_string().into())
}

/// Corrects the message of a client that omits a member, or writes an empty object as an array, as PHP does.
fn repair(mut message: Value) -> Value {
    let Some(object) = message.as_object_mut() else {
        return message;
    };
    let is_first = object.get("method").and_then(Value::as_str) == Some("initialize");
    object.entry("jsonrpc").or_insert_with(|| "2.0".into());
    if object.get("params").is_some_and(is_empty_list) || is_first {
        let params = object.entry("params").or_insert(Value::Null);
        if !params.is_object() {
            *params = Value::Object(Map::new());
        }
    }
    let Some(params) = object.get_mut("params").and_then(Value::as_object_mut) else {
        return message;
    };
    if is_first {
        params
            .entry("protocolVersion")
            .or_insert_with(|| VERSION.into());
        params.entry("capabilities").or_insert_with(|| json!({}));
        let unknown = || json!({ "name": "unknown", "version": "0" });
        params.entry("clientInfo").or_insert_with(unknown);
    }
    for name in ["capabilities", "arguments"] {
        if params.get(name).is_some_and(is_empty_list) {
            params.insert(name.to_owned(), json!({}));
        }
    }
    let capabilities = params
        .get_mut("capabilities")
        .and_then(Value::as_object_mut);
    for capability in capabilities.into_iter().flat_map(Map::values_mut) {
        if is_empty_list(capability) {
            *capability = json!({});
        }
    }
    message
}

fn is_empty_list(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty)
}

fn with_status(mut response: Response, status: StatusCode) -> Response {
    *response.status_mut() = status;
    *response.body_mut() = Body::empty();
    response.headers_mut().remove(header::CONTENT_TYPE);
    response
}

/// The stream's message that is the response, as JSON.
async fn first(response: Response) -> Response {
    let (mut head, body) = response.into_parts();
    let mut stream = body.into_data_stream();
    let mut text = Vec::new();
    let mut seen = 0;
    let mut found = None;
    while let (None, Some(Ok(bytes))) = (&found, stream.next().await) {
        text.extend_from_slice(&bytes);
        // A line is complete when the next one starts.
        while let Some(length) = text[seen..].iter().position(|byte| *byte == b'\n') {
            let line = &text[seen..seen + length];
            seen += length + 1;
            let data = line.strip_prefix(b"data:").unwrap_or_default().trim_ascii();
            let is_response =
                |message: &Value| !message["result"].is_null() || !message["error"].is_null();
            if serde_json::from_slice(data).is_ok_and(|message: Value| is_response(&message)) {
                found = Some(Bytes::copy_from_slice(data));
                break;
            }
        }
    }
    let Some(message) = found else {
        head.status = StatusCode::BAD_GATEWAY;
        return Response::from_parts(head, Body::empty());
    };
    for name in [header::CONTENT_LENGTH, header::TRANSFER_ENCODING] {
        head.headers.remove(name);
    }
    let json = HeaderValue::from_static(JSON);
    head.headers.insert(header::CONTENT_TYPE, json);
    Response::from_parts(head, Body::from(message))
}

/// A message as the only event of a stream.
async fn as_event(response: Response) -> Response {
    let (mut head, body) = response.into_parts();
    let message = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let event = [b"event: message\ndata: ".as_slice(), &message, b"\n\n"].concat();
    head.headers.remove(header::CONTENT_LENGTH);
    let stream = HeaderValue::from_static(STREAM);
    head.headers.insert(header::CONTENT_TYPE, stream);
    Response::from_parts(head, Body::from(event))
}
