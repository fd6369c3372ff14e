//! Arguments of a raw request, for policies and for the person who approves it. A batch is described by its requests,
//! because client libraries choose a new boundary each time.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, Method, header};
use serde_json::{Map, Value, json};

use super::request::RawRequest;
use crate::{
    call::sending::{content_type, readable},
    policy::{Sending, Subject},
    product::{Product, RouteKind, SentRequest},
    proxy::Part,
};

impl RawRequest {
    /// Its method and path, and the exact request as JSON. Each request has its method, path, headers and body.
    pub(super) fn exactly(&self) -> (Subject, Value) {
        let path = self.path_and_query.split('?').next().unwrap_or_default();
        let subject = Subject::Raw(self.method.to_string(), path.to_owned());
        let one = || {
            let body = self.spare.as_deref().unwrap_or_default();
            described(&self.method, &self.path_and_query, &self.headers, body)
        };
        let of_part = |part: &Part| {
            let query = part.query.as_ref().map(|query| format!("?{query}"));
            let target = format!("{}{}", part.path, query.unwrap_or_default());
            described(&part.method, &target, &part.headers, &part.body)
        };
        let requests: Vec<Value> = match self.kind {
            RouteKind::Batch => self.parts.iter().map(of_part).collect(),
            _ => vec![one()],
        };
        (subject, json!({ "requests": requests }))
    }

    /// A request of a batch as policies see it.
    pub(super) fn sending<'a>(&self, product: &'static Product, part: &'a Part) -> Sending<'a> {
        Sending {
            product,
            is_raw: true,
            sent: SentRequest {
                method: &part.method,
                path: &part.path,
                query: part.query.as_deref(),
                content_type: content_type(&part.headers),
                body: readable(&part.headers, &part.body),
            },
            effect: self.effect_of((&part.method, &part.path)),
        }
    }
}

fn described(method: &Method, target: &str, headers: &HeaderMap, body: &[u8]) -> Value {
    let mut one = json!({ "method": method.as_str(), "path": target });
    let mut shown: Map<String, Value> = Map::new();
    for name in headers.keys() {
        // Headers about the form of the response aren't part of the arguments.
        if matches!(*name, header::ACCEPT_ENCODING | header::USER_AGENT) {
            continue;
        }
        let values = headers.get_all(name).iter();
        let values = values.map(|value| String::from_utf8_lossy(value.as_bytes()));
        let values: Vec<_> = values.collect();
        shown.insert(name.to_string(), values.join(", ").into());
    }
    one["headers"] = Value::Object(shown);
    match std::str::from_utf8(body) {
        Ok("") => {}
        Ok(text) => one["body"] = text.into(),
        Err(_) => one["body_base64"] = STANDARD.encode(body).into(),
    }
    one
}
