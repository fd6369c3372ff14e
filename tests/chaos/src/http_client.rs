//! An HTTP client that returns every response, whatever its status.

use std::time::Duration;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http::{Method, Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(150);

#[derive(Debug, Clone)]
pub(crate) struct HttpClient(Client<HttpConnector, Full<Bytes>>);

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: http::HeaderMap,
    pub(crate) body: Bytes,
}

/// The optional parts of a request.
#[derive(Debug, Default, Clone)]
pub(crate) struct Parts<'a> {
    pub(crate) bearer: Option<&'a str>,
    pub(crate) cookie: Option<&'a str>,
    pub(crate) idempotency_key: Option<&'a str>,
    pub(crate) json: Option<Value>,
    pub(crate) form: Option<String>,
}

/// Raises this program's limit of file descriptors for thousands of callers. Returns whether that worked.
pub(crate) fn raise_descriptors() -> bool {
    let own = std::process::id();
    let raised = std::process::Command::new("prlimit")
        .args([&format!("--pid={own}"), "--nofile=20000:20000"])
        .status();
    raised.is_ok_and(|status| status.success())
}

impl HttpClient {
    pub(crate) fn new() -> Self {
        Self(Client::builder(TokioExecutor::new()).build(HttpConnector::new()))
    }

    /// Sends a request once.
    pub(crate) async fn send(&self, method: Method, url: &str, parts: Parts<'_>) -> Result<Reply> {
        let mut request = Request::builder().method(method).uri(url);
        if let Some(bearer) = parts.bearer {
            request = request.header(header::AUTHORIZATION, format!("Bearer {bearer}"));
        }
        if let Some(cookie) = parts.cookie {
            request = request.header(header::COOKIE, cookie);
        }
        if let Some(key) = parts.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        let body = match (parts.json, parts.form) {
            (Some(json), _) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                json.to_string()
            }
            (None, Some(form)) => {
                request = request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
                form
            }
            (None, None) => String::new(),
        };
        let request = request.body(Full::from(body))?;
        let work = async {
            let (head, body) = self.0.request(request).await?.into_parts();
            let body = body.collect().await?.to_bytes();
            Ok(Reply {
                status: head.status.as_u16(),
                headers: head.headers,
                body,
            })
        };
        tokio::time::timeout(PATIENCE, work)
            .await
            .with_context(|| format!("no response of {url}"))?
    }
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The kind of a problem. Empty if the response isn't one.
    pub(crate) fn kind(&self) -> String {
        self.json()["kind"].as_str().unwrap_or_default().to_owned()
    }

    /// Whether the caller can retry.
    pub(crate) fn is_retryable(&self) -> bool {
        self.json()["retryable"] == true
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default()
    }

    /// The status and the body.
    pub(crate) fn text(&self) -> String {
        format!("{} {}", self.status, String::from_utf8_lossy(&self.body))
    }

    /// The status and kind, for people.
    pub(crate) fn says(&self) -> String {
        format!("{} {}", self.status, self.kind()).trim().to_owned()
    }
}
