//! Plain HTTP for stories: requests as an application or `curl` would send them.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};
use serde_json::Value;
use stead::transport::{ReqwestTransport, TransportOptions};
use stead_core::ports::{Body, Transport};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// A response, read to its end.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap_or_default())
    }
    /// The kind of a problem. Panics with the whole response if it isn't one.
    pub fn kind(&self) -> String {
        assert_eq!(
            self.header("content-type"),
            "application/problem+json",
            "{}",
            self.text()
        );
        let problem = self.json();
        assert_eq!(problem["status"], self.status.as_u16(), "{problem}");
        assert!(
            problem["act_by"].is_string() && problem["retryable"].is_boolean(),
            "{problem}"
        );
        problem["kind"].as_str().unwrap_or_default().to_owned()
    }
}

/// A client without cookies and redirects.
#[derive(Clone)]
pub struct HttpClient(Arc<ReqwestTransport>);

impl HttpClient {
    pub fn new() -> Self {
        Self(Arc::new(
            ReqwestTransport::new(TransportOptions::default()).expect("an HTTP client"),
        ))
    }

    pub async fn send(&self, request: http::Request<Body>) -> Reply {
        let (head, body) = self.0.send(request).await.expect("a response").into_parts();
        let body = body.collect(u64::MAX).await.expect("a whole response");
        Reply {
            status: head.status,
            headers: head.headers,
            body,
        }
    }

    pub async fn get(&self, url: &str, bearer: &str) -> Reply {
        self.send(request(Method::GET, url, bearer, Body::Empty))
            .await
    }

    pub async fn delete(&self, url: &str, bearer: &str) -> Reply {
        self.send(request(Method::DELETE, url, bearer, Body::Empty))
            .await
    }

    pub async fn json(&self, method: Method, url: &str, bearer: &str, body: &Value) -> Reply {
        let body = body.to_string().into_bytes().into();
        let mut request = request(method, url, bearer, body);
        request.headers_mut().insert(
            "content-type",
            "application/json".parse().expect("a header"),
        );
        self.send(request).await
    }

    pub async fn form(&self, url: &str, pairs: &[(&str, &str)]) -> Reply {
        let mut request = request(Method::POST, url, "", form(pairs).into_bytes().into());
        request.headers_mut().insert(
            "content-type",
            "application/x-www-form-urlencoded"
                .parse()
                .expect("a header"),
        );
        self.send(request).await
    }
}

pub fn request(method: Method, url: &str, bearer: &str, body: Body) -> http::Request<Body> {
    let mut request = http::Request::new(body);
    *request.method_mut() = method;
    *request.uri_mut() = url.parse().unwrap_or_else(|error| panic!("{url}: {error}"));
    if !bearer.is_empty() {
        request.headers_mut().insert(
            "authorization",
            format!("Bearer {bearer}").parse().expect("a header"),
        );
    }
    request
}

pub fn form(pairs: &[(&str, &str)]) -> String {
    pairs
        .iter()
        .map(|(name, value)| format!("{}={}", encode(name), encode(value)))
        .collect::<Vec<_>>()
        .join("&")
}

/// Percent-encodes everything but letters and digits.
pub fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

/// Sends bytes unchanged, for requests that no client would send. Returns the status and the whole response.
pub async fn raw(address: &str, request: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.write_all(request).await.expect("sent");
    let mut response = Vec::new();
    // A peer that refuses the bytes may reset the connection after its response.
    let _ = stream.read_to_end(&mut response).await;
    let text = String::from_utf8_lossy(&response).into_owned();
    let status = text
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .unwrap_or(0);
    (status, text)
}
