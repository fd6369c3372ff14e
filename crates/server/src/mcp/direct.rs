//! Runs a call of the newer revision without the transport's tasks. Such a request is complete in itself, and its
//! response is one message.
//!
//! The transport would start four tasks, and read and write the message several times. A test compares both responses.
//! Requests that differ from the revision in any way, or need more than a response, go to the transport. It reports
//! what is wrong.

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::Request,
    response::Response,
};
use http::{HeaderMap, Method, StatusCode, header, request::Parts};
use rmcp::model::{
    CallToolRequestParams, JsonRpcVersion2_0, ProtocolVersion, RequestId, RequestMetaObject,
    ServerJsonRpcMessage, ServerResult,
};
use serde::Deserialize;
use stead_core::environment::Environment;

use super::{call, client::Client, lenient::LARGEST, links::Links};

const METHOD: &str = "tools/call";

/// A message that calls a tool.
#[derive(Deserialize)]
struct Message {
    #[serde(rename = "jsonrpc")]
    _version: JsonRpcVersion2_0,
    id: RequestId,
    method: String,
    params: CallToolRequestParams,
}

/// Responds to a plain call. Returns any other request.
pub(super) async fn serve(
    environment: &Environment,
    links: &Links,
    request: Request,
) -> Result<Response, Request> {
    if !may_be_plain(&request) {
        return Err(request);
    }
    let (parts, body) = request.into_parts();
    // The length was checked before, so only the connection can fail here.
    let body = to_bytes(body, LARGEST).await.unwrap_or_default();
    let Some((id, call, meta)) = plain_call(&parts, &body) else {
        return Err(Request::from_parts(parts, Body::from(body)));
    };
    let client = Client::of_request(&meta);
    let message = match call::call(environment, links, call, &client).await {
        Ok(response) => ServerJsonRpcMessage::response(ServerResult::from(response), id),
        Err(error) => ServerJsonRpcMessage::error(error, Some(id)),
    };
    let mut response = Response::new(Body::empty());
    match serde_json::to_vec(&message) {
        Ok(message) => {
            let json = header::HeaderValue::from_static("application/json");
            response.headers_mut().insert(header::CONTENT_TYPE, json);
            *response.body_mut() = Body::from(message);
        }
        Err(error) => {
            tracing::error!(%error, "couldn't write a result");
            *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        }
    }
    Ok(response)
}

/// Whether the headers are those of a plain call. The transport checks a browser's origin.
fn may_be_plain(request: &Request) -> bool {
    let headers = request.headers();
    request.method() == Method::POST
        && one(headers, "mcp-protocol-version") == Some(ProtocolVersion::V_2026_07_28.as_str())
        && one(headers, "mcp-method") == Some(METHOD)
        && one(headers, "content-type") == Some("application/json")
        && takes_both(headers)
        && one(headers, "content-length")
            .and_then(|length| length.parse().ok())
            .is_some_and(|length: usize| length <= LARGEST)
        && !headers.contains_key("mcp-session-id")
        && !headers.contains_key(header::ORIGIN)
}

/// Whether the client explicitly accepts both JSON and a stream.
fn takes_both(headers: &HeaderMap) -> bool {
    one(headers, "accept").is_some_and(|accept| {
        let takes = |kind: &str| accept.split(',').any(|one| one.trim() == kind);
        takes("application/json") && takes("text/event-stream")
    })
}

/// The value of a header that occurs once.
fn one<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// The call of a message that is complete in itself and agrees with its headers.
pub(super) fn plain_call(
    parts: &Parts,
    body: &Bytes,
) -> Option<(RequestId, CallToolRequestParams, RequestMetaObject)> {
    let mut message: Message = serde_json::from_slice(body).ok()?;
    let meta = message.params.meta.take()?;
    let is_plain = message.method == METHOD
        && one(&parts.headers, "mcp-name") == Some(&*message.params.name)
        && meta.protocol_version() == Some(ProtocolVersion::V_2026_07_28)
        && meta
            .missing_required_keys(&ProtocolVersion::V_2026_07_28)
            .is_empty()
        && meta.get_progress_token().is_none();
    is_plain.then_some((message.id, message.params, meta))
}
