//! Hints on responses in which the product rejects a raw request because of a missing scope. The product itself doesn't
//! know about Stead's links.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::{
    ErrorKind,
    call::read::ERROR_BYTES,
    context::Snapshot,
    domain::scopes::asked_scopes,
    error::AuthorizationRequest,
    ports::{Body, TransportError},
    tool::Response,
};

/// `scope_missing`, with the scopes that would be enough according to the product.
const HINT: HeaderName = HeaderName::from_static("stead-hint");
/// The body for `POST /v1/authorization-links`, if the connection can request one of these scopes.
const REQUEST: HeaderName = HeaderName::from_static("stead-authorization-request");

/// The product's challenge (RFC 6750, section 3), which isn't forwarded to the caller.
pub(super) struct Challenge(String);

impl Challenge {
    /// The challenge of a response with a status that means forbidden.
    pub(super) fn of(response: &http::Response<Body>) -> Option<Self> {
        if response.status() != StatusCode::FORBIDDEN {
            return None;
        }
        let challenge = response.headers().get(header::WWW_AUTHENTICATE);
        let challenge = challenge.and_then(|value| value.to_str().ok());
        Some(Self(challenge.unwrap_or_default().to_owned()))
    }

    /// The response with the hint.
    pub(super) async fn hinted(
        self,
        response: http::Response<Body>,
        snapshot: &Snapshot,
        with_request: bool,
    ) -> Result<http::Response<Body>, (TransportError, StatusCode)> {
        let (mut head, body) = response.into_parts();
        let (seen, body) = match body.peek(ERROR_BYTES).await {
            Ok(peeked) => peeked,
            Err(error) => return Err((error, head.status)),
        };
        self.add_hint(&mut head.headers, &seen, snapshot, with_request);
        Ok(http::Response::from_parts(head, body))
    }

    /// Adds the hint if the challenge or the body reports a missing scope. `body` is the beginning of the response's
    /// body.
    fn add_hint(
        &self,
        headers: &mut HeaderMap,
        body: &[u8],
        snapshot: &Snapshot,
        with_request: bool,
    ) {
        let product = snapshot.endpoints.product;
        let is_plain = !headers.contains_key(header::CONTENT_ENCODING);
        let says_so = || {
            let status = StatusCode::FORBIDDEN.as_u16();
            let read = Response::new(status, headers.clone(), body.to_vec());
            let error = is_plain.then(|| (product.read_error)(&read)).flatten();
            error.is_some_and(|error| error.kind() == ErrorKind::ScopeMissing)
        };
        if !self.0.contains("insufficient_scope") && !says_so() {
            return;
        }
        let scopes = self.scopes();
        let hint = match scopes.as_slice() {
            [] => String::from("scope_missing"),
            scopes => format!("scope_missing; scopes=\"{}\"", scopes.join(" ")),
        };
        headers.extend(HeaderValue::try_from(hint).ok().map(|hint| (HINT, hint)));
        let (connection, account) = (&snapshot.connection, &snapshot.account);
        let asked = asked_scopes(product, connection, None, &account.granted_scopes);
        let asked = asked.unwrap_or_default();
        if !with_request
            || scopes
                .iter()
                .all(|scope| asked.iter().all(|one| one != scope))
        {
            return;
        }
        let (connection, user) = (connection.name.as_str(), account.identifier.as_str());
        let request = AuthorizationRequest::new(connection, user, asked);
        let request = serde_json::to_string(&request).ok();
        // Headers have to be ASCII, and escaped JSON is.
        let request = request.map(|text| escaped(&text));
        let request = request.and_then(|text| HeaderValue::try_from(text).ok());
        headers.extend(request.map(|request| (REQUEST, request)));
    }

    fn scopes(&self) -> Vec<&str> {
        let named = self.0.split_once("scope=\"").map(|(_, rest)| rest);
        let named = named.and_then(|rest| rest.split('"').next());
        let named = named.unwrap_or_default();
        named
            .split([',', ' '])
            .filter(|scope| !scope.is_empty())
            .collect()
    }
}

/// A JSON text in ASCII.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            text.push(c);
            continue;
        }
        let mut units = [0; 2];
        for unit in c.encode_utf16(&mut units) {
            text.push_str(&format!("\\u{unit:04x}"));
        }
    }
    text
}
