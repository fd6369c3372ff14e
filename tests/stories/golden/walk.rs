//! A walk through the service: each request and its response becomes a record.

use std::{collections::BTreeMap, time::Duration};

use http::{HeaderMap, HeaderValue, Method};
use jiff::SignedDuration;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use stead_core::ports::Body;

use super::{audited::Audited, file::compare, normal::Normal};
use crate::{
    http_client::{Reply, request},
    stage::{Setting, Stage},
};

/// A text member of a response.
pub fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member]
        .as_str()
        .unwrap_or_else(|| panic!("no {member}: {value}"))
}

/// The time at which every walk starts, the same as the sandbox's. It must be in the past, because ID tokens expire by
/// the machine's clock.
pub const START: &str = "2026-05-04T09:00:00Z";

/// The longest JSON body that a record keeps. For a longer one, it keeps the digest.
const LONGEST: usize = 16 * 1024;

/// Stead's own headers, besides those that begin with `stead-`.
const HEADERS: [&str; 12] = [
    "accept-ranges",
    "allow",
    "cache-control",
    "content-disposition",
    "content-range",
    "content-type",
    "deprecation",
    "etag",
    "location",
    "retry-after",
    "vary",
    "www-authenticate",
];

/// A request.
#[derive(Clone)]
pub struct Ask {
    title: String,
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<String>,
    bearer: Option<String>,
}

impl Ask {
    pub fn new(title: &str, method: &str, path: impl Into<String>) -> Self {
        Self {
            title: title.to_owned(),
            method: method.parse().unwrap(),
            path: path.into(),
            headers: Vec::new(),
            body: None,
            bearer: None,
        }
    }
    /// A request such as `GET /v1/webhooks`. If `body` is null, the request has no body.
    pub fn of(title: &str, request: &str, body: &Value) -> Self {
        let (method, path) = request.split_once(' ').unwrap();
        let ask = Self::new(title, method, path);
        if body.is_null() { ask } else { ask.json(body) }
    }
    pub fn json(self, body: &Value) -> Self {
        self.text("application/json", &body.to_string())
    }
    pub fn text(mut self, media_type: &str, body: &str) -> Self {
        self.body = Some(body.to_owned());
        self.header("content-type", media_type)
    }
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
    /// Uses this token instead of the application's. If it's empty, the request has no token.
    pub fn bearer(mut self, bearer: &str) -> Self {
        self.bearer = Some(bearer.to_owned());
        self
    }
}

pub struct Walk {
    pub stage: Stage,
    pub document: Value,
    pub normal: Normal,
    records: Vec<Value>,
    audited: Audited,
}

impl Walk {
    pub async fn new() -> Self {
        Self::set(Setting::default()).await
    }

    pub async fn set(setting: Setting) -> Self {
        let stage = Stage::set(Setting {
            still_at: Some(START.parse().unwrap()),
            ..setting
        })
        .await;
        let document = stage.get("/openapi.json").await.json();
        let mut normal = Normal::of(&stage);
        normal.text(&stage.client_id);
        normal.text(&stage.bearer);
        Self {
            stage,
            document,
            normal,
            records: Vec::new(),
            audited: Audited::new(),
        }
    }

    /// Sends a request a second after the previous one, and keeps the record.
    pub async fn send(&mut self, ask: Ask) -> Reply {
        self.stage.clock.advance(SignedDuration::from_secs(1));
        let url = format!("{}{}", self.stage.url, ask.path);
        let body = ask
            .body
            .clone()
            .map_or(Body::Empty, |text| text.into_bytes().into());
        let bearer = ask.bearer.as_deref().unwrap_or(&self.stage.bearer);
        let mut request = request(ask.method.clone(), &url, bearer, body);
        for (name, value) in &ask.headers {
            let name: http::HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        let reply = self.stage.http.send(request).await;
        let record = self.record(&ask, &reply);
        self.records.push(record);
        if ask.path.starts_with("/v1/keys/reencrypt") {
            let over = |keys: &Value| keys["reencryption"]["running"] != true;
            self.until("/v1/keys", over).await;
        }
        let path = self.operation(&ask.path);
        let operation = format!("{} {}", ask.method, path.as_str().unwrap_or_default());
        let environment = self.stage.platform.environment();
        let request_id = reply.header("stead-request-id");
        self.audited.read(environment, &operation, request_id).await;
        reply
    }

    /// Sends a request that succeeds, such as `GET /v1/webhooks`, and returns the JSON of its response. Without a body,
    /// the body is null.
    pub async fn go(&mut self, title: &str, request: impl AsRef<str>, body: Value) -> Value {
        let ask = Ask::of(title, request.as_ref(), &body);
        let reply = self.send(ask).await;
        assert!(reply.status.is_success(), "{title}: {}", reply.text());
        serde_json::from_slice(&reply.body).unwrap_or_default()
    }

    /// Sends a request that is refused, and returns the kind of the error.
    pub async fn no(&mut self, title: &str, request: impl AsRef<str>, body: Value) -> String {
        let reply = self.send(Ask::of(title, request.as_ref(), &body)).await;
        assert!(!reply.status.is_success(), "{title}: {}", reply.text());
        reply.kind()
    }

    /// A bearer token for another application with all scopes.
    pub async fn another_application(&mut self) -> String {
        let scopes = stead_core::scope::Scopes::all().words();
        let new = json!({ "name": "another", "scopes": scopes });
        let made = self.stage.post("/v1/app-credentials", &new).await.json();
        let pairs = [
            ("grant_type", "client_credentials"),
            ("client_id", text(&made, "client_id")),
            ("client_secret", text(&made, "client_secret")),
        ];
        let url = format!("{}/oauth/token", self.stage.url);
        let token = self.stage.http.form(&url, &pairs).await.json();
        self.normal.text(text(&made, "client_id"));
        text(&token, "access_token").to_owned()
    }

    /// Repeats a request until the response is as expected. Keeps no record, and the clock stands still.
    pub async fn until(&self, path: &str, is: impl Fn(&Value) -> bool) -> Value {
        let asked = async {
            loop {
                let now = self.stage.get(path).await.json();
                if is(&now) {
                    return now;
                }
                tokio::task::yield_now().await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_secs(60), asked);
        in_time.await.unwrap_or_else(|_| panic!("{path} in time"))
    }

    fn record(&mut self, ask: &Ask, reply: &Reply) -> Value {
        let mut headers = ask.headers.clone();
        headers.retain(|(name, value)| name != "content-type" || value != "application/json");
        if let Some(bearer) = &ask.bearer {
            headers.push((String::from("authorization"), bearer.clone()));
        }
        let headers: BTreeMap<String, String> = headers
            .into_iter()
            .map(|(name, value)| (name, self.normal.text(&value)))
            .collect();
        let mut sent = json!({
            "method": ask.method.as_str(),
            "path": self.normal.text(&ask.path),
            "operation": self.operation(&ask.path),
        });
        if !headers.is_empty() {
            sent["headers"] = json!(headers);
        }
        if let Some(body) = &ask.body {
            // A body with another spelling than ours is recorded as a text.
            let value = serde_json::from_str::<Value>(body);
            let written = value.as_ref().map(Value::to_string).unwrap_or_default();
            sent["body"] = match value {
                Ok(value) if written == *body => self.normal.value("", &value),
                // IDs in forms are replaced too.
                _ => {
                    json!({ "text": self.normal.text(&body.replace("%5F", "_").replace("%2D", "-")) })
                }
            };
        }
        let mut record = json!({
            "title": ask.title,
            "request": sent,
            "response": { "status": reply.status.as_u16(), "headers": self.headers(&reply.headers) },
        });
        if !reply.body.is_empty() {
            record["response"]["body"] = self.body(reply);
        }
        record
    }

    /// The path in the document that describes a request's path.
    fn operation(&self, path: &str) -> Value {
        let path = path.split('?').next().unwrap();
        let path = if path == "/" {
            path
        } else {
            path.trim_end_matches('/')
        };
        let known = self.document["paths"].as_object().unwrap();
        if known.contains_key(path) {
            return path.into();
        }
        let segments: Vec<&str> = path.split('/').collect();
        let fits = |template: &&String| {
            let of_template: Vec<&str> = template.split('/').collect();
            of_template.len() == segments.len()
                && of_template
                    .iter()
                    .zip(&segments)
                    .all(|(one, segment)| one.starts_with('{') || one == segment)
        };
        known
            .keys()
            .find(fits)
            .map_or(Value::Null, |template| json!(template))
    }

    fn headers(&mut self, headers: &HeaderMap) -> Value {
        let mut own = BTreeMap::new();
        for (name, value) in headers {
            let name = name.as_str();
            if !name.starts_with("stead-") && !HEADERS.contains(&name) {
                continue;
            }
            let value = value.to_str().map_or_else(|_| latin(value), str::to_owned);
            let member = if name == "stead-request-id" {
                "request_id"
            } else {
                name
            };
            own.insert(name.to_owned(), self.normal.value(member, &value.into()));
        }
        json!(own)
    }

    fn body(&mut self, reply: &Reply) -> Value {
        let is_json = reply.header("content-type").contains("json");
        if is_json && serde_json::from_slice::<Value>(&reply.body).is_ok() {
            let body = self.normal.json(&reply.body);
            // `the_openapi_document` compares its text.
            if body.get("openapi").is_some() {
                return "(the OpenAPI document)".into();
            }
            let text = body.to_string();
            if text.len() <= LONGEST {
                return body;
            }
            let digest: String = Sha256::digest(&text)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            return format!("(JSON of {} bytes with SHA-256 {digest})", text.len()).into();
        }
        match std::str::from_utf8(&reply.body) {
            Ok(text) if text.len() <= 2000 => self.normal.text(text).into(),
            _ => format!("({} bytes)", reply.body.len()).into(),
        }
    }

    /// Compares the records with the file of a tag, and what its operations have written to the audit log with what they
    /// declare.
    pub fn end(self, tag: &str) {
        for (path, methods) in self.document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                if operation["tags"][0] == tag {
                    let method = method.to_uppercase();
                    self.audited.check(&format!("{method} {path}"));
                }
            }
        }
        self.keep(&tag.replace('-', "_"));
    }

    /// Compares the records with a file.
    pub fn keep(self, name: &str) {
        compare(&format!("rest/{name}.json"), &self.records.into());
    }
}

fn latin(value: &HeaderValue) -> String {
    value
        .as_bytes()
        .iter()
        .map(|byte| char::from(*byte))
        .collect()
}
