//! Forwards messages: each line of standard input becomes a request to `/mcp`, and each message of the response becomes
//! a line of standard output.

use std::{
    collections::HashMap,
    future::poll_fn,
    io::{BufRead as _, Write as _},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use http::{HeaderValue, Method, Request, Response, header, request::Builder};
use http_body::Body as _;
use serde_json::{Value, json};
use stead::transport::{ReqwestTransport, TransportOptions};
use stead_core::ports::{Body, Transport as _};
use tokio::{sync::mpsc, task::JoinHandle};

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
};

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// Forwards messages until standard input ends.
pub(super) async fn run(url: String, token: &str) -> Outcome {
    let failed = |what: String| {
        Failure::new(
            Exit::Failed,
            what,
            "Check --url and the token of the session.",
        )
    };
    let transport = ReqwestTransport::new(TransportOptions::default())
        .map_err(|error| failed(error.to_string()))?;
    let bearer = HeaderValue::try_from(format!("Bearer {token}"))
        .map_err(|_| failed(String::from("the token isn't a session token")))?;
    let bridge = Bridge(Arc::new(Shared {
        transport,
        url,
        bearer,
        opened: Mutex::default(),
    }));
    let mut lines = lines();
    let mut under_way: HashMap<String, JoinHandle<()>> = HashMap::new();
    while let Some(line) = lines.recv().await {
        let Ok(message) = serde_json::from_str::<Value>(&line) else {
            write(&error(&Value::Null, -32700, "this line isn't JSON"));
            continue;
        };
        under_way.retain(|_, call| !call.is_finished());
        if message["method"] == "notifications/cancelled" {
            // Dropping its response also cancels it.
            let id = message["params"]["requestId"].to_string();
            if let Some(call) = under_way.remove(&id) {
                call.abort();
            }
        }
        let id = message["id"].to_string();
        let first = message["method"] == "initialize";
        let bridge = bridge.clone();
        let call = tokio::spawn(async move { bridge.pass(message).await });
        if first {
            // Later messages need the session that it opens.
            let _ = call.await;
        } else {
            under_way.insert(id, call);
        }
    }
    for (_, call) in under_way {
        let _ = call.await;
    }
    bridge.close().await;
    Ok(())
}

/// Lines of standard input, read on a separate thread that ends with the process.
fn lines() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(16);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if !line.trim().is_empty() && sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// Writes a message as one line.
fn write(message: &Value) {
    let mut out = std::io::stdout().lock();
    // A client that no longer reads has ended. It closes the input too.
    let _ = writeln!(out, "{message}").and_then(|()| out.flush());
}

fn error(id: &Value, code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

#[derive(Clone)]
struct Bridge(Arc<Shared>);

struct Shared {
    transport: ReqwestTransport,
    url: String,
    bearer: HeaderValue,
    /// The session that `initialize` opened, if the client uses the older revision.
    opened: Mutex<Opened>,
}

#[derive(Debug, Clone, Default)]
struct Opened {
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
}

impl Bridge {
    fn opened(&self) -> Opened {
        let opened = self.0.opened.lock();
        opened.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A request with the common headers.
    fn request(&self, method: Method) -> Builder {
        let opened = self.opened();
        let mut request = Request::builder()
            .method(method)
            .uri(&self.0.url)
            .header(header::AUTHORIZATION, self.0.bearer.clone())
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(session) = opened.session {
            request = request.header(SESSION, session);
        }
        request
    }

    /// Sends a message, and forwards each message of the response to the client.
    async fn pass(&self, message: Value) {
        let id = message["id"].clone();
        if let Err(what) = self.send(&message).await {
            tracing::warn!(%what, "couldn't forward a message");
            if !id.is_null() {
                write(&error(&id, -32603, &what));
            }
        }
    }

    async fn send(&self, message: &Value) -> Result<(), String> {
        let mut request = self.request(Method::POST);
        // In the newer revision, each request is complete, and repeats this in its headers.
        let params = &message["params"];
        let own = params["_meta"][VERSION].as_str();
        let version = own.and_then(|version| HeaderValue::try_from(version).ok());
        if let Some(version) = version.or(self.opened().version) {
            request = request.header("mcp-protocol-version", version);
        }
        if let (Some(_), Some(method)) = (own, message["method"].as_str()) {
            request = request.header("mcp-method", method);
            let name = params["name"].as_str().or(params["uri"].as_str());
            if let Some(name) = name {
                request = request.header("mcp-name", name);
            }
        }
        let body = Body::from(message.to_string().into_bytes());
        let request = request.body(body).map_err(|error| error.to_string())?;
        let response = self.0.transport.send(request).await;
        let response =
            response.map_err(|error| format!("can't connect to {}: {error}", self.0.url))?;
        self.note(message, &response);
        self.read(message, response).await
    }

    /// Stores the session that `initialize` opened.
    fn note(&self, message: &Value, response: &Response<Body>) {
        if message["method"] == "initialize" {
            let session = response.headers().get(SESSION).cloned();
            let opened = self.0.opened.lock();
            opened.unwrap_or_else(PoisonError::into_inner).session = session;
        }
    }

    async fn read(&self, message: &Value, response: Response<Body>) -> Result<(), String> {
        let (head, mut body) = response.into_parts();
        let is_stream = head
            .headers
            .get(header::CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        let mut read = Vec::new();
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            let frame = frame.map_err(|error| error.to_string())?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            read.extend_from_slice(&data);
            if !is_stream {
                continue;
            }
            while let Some(end) = read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = read.drain(..=end).collect();
                if let Some(data) = line.strip_prefix(b"data:") {
                    self.give(message, data);
                }
            }
        }
        if is_stream {
            return Ok(());
        }
        self.give(message, &read);
        if head.status.is_success() {
            return Ok(());
        }
        // An error of the service isn't a message of the protocol.
        let problem: Value = serde_json::from_slice(&read).unwrap_or_default();
        if problem["jsonrpc"].is_string() {
            return Ok(());
        }
        let title = problem["detail"].as_str().or(problem["title"].as_str());
        let text = String::from_utf8_lossy(&read);
        Err(format!("{}: {}", head.status, title.unwrap_or(text.trim())))
    }

    /// The text as a message for the client, if it is one.
    fn give(&self, asked: &Value, data: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Value>(data) else {
            return;
        };
        if !message["jsonrpc"].is_string() {
            return;
        }
        if asked["method"] == "initialize"
            && let Some(version) = message["result"]["protocolVersion"].as_str()
        {
            let opened = self.0.opened.lock();
            opened.unwrap_or_else(PoisonError::into_inner).version =
                HeaderValue::try_from(version).ok();
        }
        write(&message);
    }

    /// Ends the session that `initialize` opened.
    async fn close(&self) {
        let opened = self.opened();
        if opened.session.is_none() {
            return;
        }
        let mut request = self.request(Method::DELETE);
        if let Some(version) = opened.version {
            request = request.header("mcp-protocol-version", version);
        }
        if let Ok(request) = request.body(Body::Empty) {
            let _ = self.0.transport.send(request).await;
        }
    }
}
