//! The log of requests, without secrets.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use url::form_urlencoded;

use crate::{
    request::Query,
    request::{Purpose, Request},
};

/// The log keeps this many entries and drops the oldest.
const MAX_ENTRIES: usize = 10_000;

/// Headers that contain secrets.
const SECRET_HEADERS: [&str; 4] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "x-goog-api-key",
];

/// Parameters of queries and forms that contain secrets.
const SECRET_NAMES: [&str; 10] = [
    "access_token",
    "client_secret",
    "code",
    "code_verifier",
    "id_token",
    "key",
    "oauth_token",
    "refresh_token",
    "token",
    "upload_id",
];

/// The text that replaces a secret.
const MASK: &str = "***";

/// A request that reached the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Received {
    /// HTTP method.
    pub method: String,
    /// The host that was simulated: the first path segment.
    pub host: String,
    /// The rest of the path as it came, starting with `/`.
    pub path: String,
    /// The query as it came. If it has a secret, it's decoded and encoded again with `***` instead of the secret.
    pub query: Option<String>,
    /// All headers, with names in lower case. Several values are joined by `, `, and secrets are `***`.
    pub headers: BTreeMap<String, String>,
    /// Whether there was an `Authorization` header.
    pub authorization: bool,
    /// Body of a request to the token and revocation endpoints. Secrets are `***`.
    pub body: Option<String>,
    /// Size of the body in bytes.
    pub body_bytes: usize,
    /// Status of the response. `None` if the response was stalled or never sent.
    pub status: Option<u16>,
}

/// The log since the start or the last reset.
#[derive(Debug, Default)]
pub(crate) struct Log {
    entries: VecDeque<Received>,
    token_requests: BTreeMap<String, usize>,
}

impl Log {
    /// Records a request with the status of its response.
    pub(crate) fn add(&mut self, request: &Request, purpose: Option<Purpose>, status: Option<u16>) {
        if purpose == Some(Purpose::Token) {
            let grant = request
                .form_parameters()
                .and_then(|form| form.first("grant_type").map(str::to_owned))
                .or_else(|| request.json_text("grant_type"))
                .unwrap_or_default();
            *self.token_requests.entry(grant).or_default() += 1;
        }
        if self.entries.len() == MAX_ENTRIES {
            self.entries.pop_front();
        }
        self.entries.push_back(Received {
            method: request.method.to_string(),
            host: request.host.clone(),
            path: request.path.clone(),
            query: request.query.as_deref().map(masked),
            headers: headers(request),
            authorization: request.headers.contains_key("authorization"),
            body: body(request, purpose),
            body_bytes: request.body.len(),
            status,
        });
    }

    /// All entries, oldest first.
    pub(crate) fn entries(&self) -> Vec<Received> {
        self.entries.iter().cloned().collect()
    }

    /// How many POSTs reached the token endpoint, for one grant type or for all.
    pub(crate) fn token_requests(&self, grant_type: Option<&str>) -> usize {
        match grant_type {
            Some(grant) => self.token_requests.get(grant).copied().unwrap_or_default(),
            None => self.token_requests.values().sum(),
        }
    }
}

fn headers(request: &Request) -> BTreeMap<String, String> {
    let mut headers = BTreeMap::<String, String>::new();
    for (name, value) in &request.headers {
        let value = if SECRET_HEADERS.contains(&name.as_str()) {
            MASK.into()
        } else {
            String::from_utf8_lossy(value.as_bytes())
        };
        headers
            .entry(name.as_str().to_owned())
            .and_modify(|values| {
                values.push_str(", ");
                values.push_str(&value);
            })
            .or_insert_with(|| value.clone().into_owned());
    }
    headers
}

/// Only the bodies for the authorization server are kept, because other bodies contain what people write.
fn body(request: &Request, purpose: Option<Purpose>) -> Option<String> {
    let is_kept = matches!(purpose, Some(Purpose::Token | Purpose::Credentials));
    is_kept.then(|| masked_body(&request.body))
}

/// The same object or form with hidden secrets.
fn masked_body(body: &[u8]) -> String {
    let Ok(serde_json::Value::Object(mut members)) = serde_json::from_slice(body) else {
        return masked(&String::from_utf8_lossy(body));
    };
    for (name, value) in &mut members {
        if SECRET_NAMES.contains(&name.as_str()) {
            *value = MASK.into();
        }
    }
    serde_json::Value::Object(members).to_string()
}

/// The same pairs with hidden secrets. A text without a secret doesn't change.
fn masked(text: &str) -> String {
    let pairs = Query::parse(text.as_bytes());
    if !pairs.iter().any(|(name, _)| SECRET_NAMES.contains(&name)) {
        return text.to_owned();
    }
    let mut out = form_urlencoded::Serializer::new(String::new());
    for (name, value) in pairs.iter() {
        let secret = SECRET_NAMES.contains(&name);
        out.append_pair(name, if secret { MASK } else { value });
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_and_the_rest_is_kept() {
        assert_eq!(
            masked("grant_type=refresh_token&refresh_token=1%2F%2Fx&client_id=a"),
            "grant_type=refresh_token&refresh_token=***&client_id=a"
        );
        assert_eq!(masked("q=a%20b&x"), "q=a%20b&x");
    }
}
