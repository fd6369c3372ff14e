//! A network in which products and their token endpoints echo every request.

use std::{
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use http::{HeaderValue, Request, Response, header};
use serde_json::{Value, json};
use stead::transport::{ReqwestTransport, TransportOptions};
use stead_core::ports::{Body, BoxFuture, Transport, TransportError};

/// The form of an error that contains a text.
pub type Shape = fn(&str) -> Value;

/// Errors of token endpoints: RFC 6749 with the text in either member, and a product's own form.
pub const OF_TOKEN_ENDPOINTS: [Shape; 4] = [
    |text| json!({ "error": "server_error", "error_description": text }),
    |text| json!({ "error": "invalid_request", "error_description": text }),
    |text| json!({ "error": text }),
    |text| json!({ "object": "error", "status": 400, "code": text, "message": text }),
];

/// Errors of the products' APIs.
pub const OF_APIS: [Shape; 2] = [
    |text| {
        let errors = [json!({ "reason": text, "message": text, "location": text })];
        let error = json!({ "code": 400, "status": text, "message": text, "errors": errors, "details": errors });
        json!({ "error": error })
    },
    |text| {
        json!({ "object": "error", "status": 400, "code": text, "message": text, "request_id": text,
            "sqlState": text, "statementHandle": text, "additional_data": { "text": text } })
    },
];

/// The sandbox's network, until a test makes it echo.
pub struct Repeating {
    network: ReqwestTransport,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    responds: Option<(u16, Shape)>,
    secrets: Vec<String>,
    repeated: usize,
}

impl Repeating {
    pub fn new() -> Self {
        Self {
            network: ReqwestTransport::new(TransportOptions::default()).expect("a network"),
            state: Mutex::default(),
        }
    }

    /// From now on, every request gets this status, and an error that echoes the request.
    pub fn repeat(&self, status: u16, shape: Shape) {
        self.state().responds = Some((status, shape));
    }

    /// Stops echoing. Returns how many requests were echoed.
    pub fn stop(&self) -> usize {
        let mut state = self.state();
        state.responds = None;
        std::mem::take(&mut state.repeated)
    }

    /// Waits until this many requests were echoed.
    pub async fn until(&self, count: usize) {
        let all = async {
            while self.state().repeated < count {
                tokio::task::yield_now().await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_secs(30), all).await;
        in_time.expect("all requests in time");
    }

    /// The secrets that were sent, both decoded and as sent over the wire.
    pub fn secrets(&self) -> Vec<String> {
        self.state().secrets.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl Transport for Repeating {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        let Some((status, shape)) = self.state().responds else {
            return self.network.send(request);
        };
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let body = body.collect(1024 * 1024).await?;
            let body = String::from_utf8_lossy(&body).into_owned();
            let authorization = head.headers.get(header::AUTHORIZATION);
            let authorization = authorization.map_or("", |value| value.to_str().unwrap());
            let credentials = authorization.split_once(' ').map_or("", |(_, of)| of);
            // A body next to a bearer token belongs to a call and has no secret.
            let is_call = authorization.starts_with("Bearer ");
            let mut secrets = if is_call {
                Vec::new()
            } else {
                parameters(&body)
            };
            secrets.push(credentials.to_owned());
            secrets.retain(|secret| secret.len() >= 8);
            // Echoes the request, and each secret whole and truncated.
            let mut text = format!("you sent {authorization} and {body}");
            for secret in &secrets {
                let cut = secret.get(..32).unwrap_or(secret);
                text = format!("{text}: {secret} ({cut}…)");
            }
            let mut response = Response::new(Body::from(shape(&text).to_string().into_bytes()));
            *response.status_mut() = status.try_into().unwrap();
            let headers = response.headers_mut();
            headers.insert("content-type", HeaderValue::from_static("application/json"));
            headers.insert("x-request-id", authorization.parse().unwrap());
            let mut state = self.state();
            state.repeated += 1;
            state.secrets.extend(secrets);
            Ok(response)
        })
    }
}

/// The secret values of a token request, in a form or in JSON.
fn parameters(body: &str) -> Vec<String> {
    const PUBLIC: [&str; 3] = ["grant_type", "client_id", "redirect_uri"];
    let decode = |text: &str| {
        let pair = url_decoded(text);
        [pair, text.to_owned()]
    };
    if let Ok(Value::Object(members)) = serde_json::from_str(body) {
        let secret = members
            .iter()
            .filter(|(name, _)| !PUBLIC.contains(&name.as_str()));
        return secret
            .filter_map(|(_, value)| Some(value.as_str()?.to_owned()))
            .collect();
    }
    let pairs = body.split('&').filter_map(|pair| pair.split_once('='));
    let secret = pairs.filter(|(name, _)| !PUBLIC.contains(name));
    secret.flat_map(|(_, value)| decode(value)).collect()
}

fn url_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digits = (byte == b'%')
            .then(|| [rest.next(), rest.next()].map(|digit| char::from(digit.unwrap_or(b'0'))));
        bytes.push(match digits {
            Some(digits) => {
                u8::from_str_radix(&digits.iter().collect::<String>(), 16).unwrap_or(b'?')
            }
            None => byte,
        });
    }
    String::from_utf8(bytes).unwrap()
}
