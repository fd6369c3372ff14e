//! A request as the played hosts see it.

use axum::{
    body::{Body, to_bytes},
    http::{HeaderMap, Method, header},
};
use bytes::Bytes;

use crate::{hosts, query::Query, warehouse};

/// Bodies above this many bytes are refused.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// One request, with the host taken from its first path segment.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// First path segment: the host that is played.
    pub(crate) host: String,
    /// The rest of the path as it came, starting with `/`.
    pub(crate) path: String,
    /// The query as it came.
    pub(crate) query: Option<String>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Request {
    /// Reads the whole request; nothing if its body breaks off or is too large.
    pub(crate) async fn read(request: axum::http::Request<Body>) -> Option<Self> {
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, MAX_BODY_BYTES).await.ok()?;
        let path = parts.uri.path().trim_start_matches('/');
        let (host, rest) = path.split_once('/').unwrap_or((path, ""));
        Some(Self {
            method: parts.method,
            host: host.to_owned(),
            path: format!("/{rest}"),
            query: parts.uri.query().map(str::to_owned),
            headers: parts.headers,
            body,
        })
    }

    /// The query's pairs.
    pub(crate) fn query_parameters(&self) -> Query {
        Query::parse(self.query.as_deref().unwrap_or_default().as_bytes())
    }

    /// The body's pairs, if the body says that it is a form.
    pub(crate) fn form_parameters(&self) -> Option<Query> {
        let kind = self.header(header::CONTENT_TYPE.as_str())?;
        let kind = kind.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
            .then(|| Query::parse(&self.body))
    }

    /// A text of the body, if the body is a JSON object that has it.
    pub(crate) fn json_text(&self, name: &str) -> Option<String> {
        let body: serde_json::Value = serde_json::from_slice(&self.body).ok()?;
        Some(body.get(name)?.as_str()?.to_owned())
    }

    /// A header's value as text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Whether this is a POST to the token endpoint.
    pub(crate) fn is_token_request(&self) -> bool {
        let (host, path) = (self.host.as_str(), self.path.as_str());
        let is_endpoint = match host {
            hosts::TOKENS => path == "/token",
            hosts::NOTION => path == "/v1/oauth/token",
            _ => warehouse::is_token_endpoint(host, path),
        };
        self.method == Method::POST && is_endpoint
    }
}
