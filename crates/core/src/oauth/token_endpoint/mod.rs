//! Requests to a product's token endpoint (RFC 6749, 4.1.3 and 6).
//!
//! The `oauth2` crate builds the authorization URL and PKCE. The token request is written here, because products need
//! JSON bodies, additional headers and their own error formats. Stead also has to know whether a failed request was
//! sent.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};
use url::form_urlencoded;

use super::client::ClientCredentials;
use crate::{
    Error, ErrorKind, Result,
    context::{Context, TokenSet},
    domain::{Connection, lease::REQUEST},
    ports::{Body, Limits, TransportError, TransportErrorKind},
    product::{ClientAuthentication, Product, TokenError, TokenFormat},
    scrub::{Secrets, mask, scrub},
    tool::Response,
};

/// Limits of a token request. The total time is the part of its lease that a refresh reserves for it.
pub(super) const LIMITS: Limits = Limits {
    first_byte: Duration::from_secs(20),
    total: REQUEST,
    response_bytes: 256 * 1024,
    ..Limits::DEFAULT
};

/// Why a token request brought no tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenFailure {
    /// The product rejected the code or the refresh token.
    Rejected,
    /// The product rejected the client.
    Client,
    /// The product rejects requests of this form from this client.
    Misconfigured,
    /// It may work later.
    Temporary,
    /// The request was sent, but no response was read.
    Unanswered,
}

/// Why there are no tokens.
pub(super) enum NoTokens {
    /// The token endpoint returned no tokens. Contains its message, and how long it asks Stead to wait.
    Failure(TokenFailure, String, Option<Duration>),
    /// No request was sent.
    Error(Error),
}

impl From<Error> for NoTokens {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The token endpoint's result.
pub(super) struct Granted {
    pub(super) tokens: TokenSet,
    /// `None` if the response names no scope, which means that the requested ones were granted.
    pub(super) scopes: Option<Vec<String>>,
    /// Whether the refresh token differs from the one presented.
    pub(super) rotated: bool,
    /// When the user has to authorize again: when the refresh token expires, or the access token if there is no other.
    pub(super) reauthorize_by: Option<Timestamp>,
    /// Members that the standard doesn't name, such as an `id_token`.
    pub(super) members: Map<String, Value>,
}

/// Members of a response with tokens (RFC 6749, 5.1). Some servers leave `token_type` out.
struct TokenResponse {
    access_token: String,
    refresh_token: Option<String>,
    expires_in: Option<u64>,
    /// The lifetime of the refresh token, which the standard doesn't name.
    refresh_token_expires_in: Option<u64>,
    scope: Option<String>,
    members: Map<String, Value>,
}

impl TokenResponse {
    /// Reads a response. The tokens can't be had again, so an optional member that can't be read counts as absent.
    fn read(body: &[u8]) -> Option<Self> {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let mut members: Map<String, Value> = serde_json::from_slice(body).ok()?;
        let mut text = |name: &str| match members.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        Some(Self {
            access_token: text("access_token")?,
            refresh_token: text("refresh_token"),
            expires_in: members.remove("expires_in").as_ref().and_then(seconds),
            refresh_token_expires_in: members
                .remove("refresh_token_expires_in")
                .as_ref()
                .and_then(seconds),
            scope: members.remove("scope").as_ref().and_then(words),
            members,
        })
    }
}

/// A lifetime. Some servers send it as a string, and some with a fraction.
fn seconds(value: &Value) -> Option<u64> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        value => value.to_string(),
    };
    let whole = text
        .split_once('.')
        .map_or(text.as_str(), |(whole, _)| whole);
    whole.parse().ok()
}

/// Scopes. Some servers send a list.
fn words(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let items: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            Some(items?.join(" "))
        }
        _ => None,
    }
}

/// Presents a grant. `kept` is the refresh token to keep if the response has none.
pub(super) async fn request_tokens(
    context: &Context,
    product: &Product,
    connection: &Connection,
    token_url: &str,
    grant: &[(&str, &str)],
    kept: Option<&SecretString>,
) -> Result<Granted, NoTokens> {
    let (request, secrets) = request(context, product, connection, token_url, grant).await?;
    let sent_at = context.host.now();
    let response = send(context, request).await.map_err(|error| {
        if error.kind() == TransportErrorKind::Exhausted {
            let message = "this process has no file descriptors left to connect to the product";
            let error = Error::new(ErrorKind::Overloaded, message).with_source(error);
            return NoTokens::Error(error.with_retry_after(Duration::from_secs(1)));
        }
        let failure = match error.may_have_been_sent() {
            true => TokenFailure::Unanswered,
            false => TokenFailure::Temporary,
        };
        let said = match error.unreached() {
            Some(why) => context.products.unreached.said(context, token_url, why),
            None => error.to_string(),
        };
        NoTokens::Failure(failure, said, None)
    })?;
    let retry_after = response.retry_after(Some(context.host.now()));
    match tokens_of(response.status, &response.body, product, &secrets) {
        Ok(tokens) => {
            let granted = tokens.granted(product, sent_at, kept);
            Ok(Granted {
                tokens: granted.tokens.of_client(connection.client_epoch),
                ..granted
            })
        }
        Err((failure, said)) => Err(NoTokens::Failure(failure, said, retry_after)),
    }
}

/// Sends a request to an authorization server and reads the response.
pub(super) async fn exchange(
    context: &Context,
    request: http::Request<Body>,
) -> Result<(StatusCode, Bytes), TransportError> {
    let response = send(context, request).await?;
    let status = StatusCode::from_u16(response.status).unwrap_or_default();
    Ok((status, response.body))
}

async fn send(context: &Context, request: http::Request<Body>) -> Result<Response, TransportError> {
    let response = context.products.send(request).await?;
    let (head, body) = response.into_parts();
    let body = body.collect(LIMITS.response_bytes).await?;
    Ok(Response::new(head.status.as_u16(), head.headers, body))
}

/// Parameters of token requests that aren't secret. All others are.
const PUBLIC: [&str; 3] = ["grant_type", "client_id", "redirect_uri"];

/// Builds a request to the token endpoint, or to the revocation endpoint, where the client authenticates in the same
/// way (RFC 7009, 2.1). Also returns the secrets in it.
pub(super) async fn request(
    context: &Context,
    product: &Product,
    connection: &Connection,
    url: &str,
    parameters: &[(&str, &str)],
) -> Result<(http::Request<Body>, Secrets)> {
    let oauth = &product.oauth;
    let not_ready = |what: &str| {
        Error::new(
            ErrorKind::ConnectionNotReady,
            format!("the connection has no usable {what}"),
        )
    };
    let credentials = ClientCredentials::of(context, connection)
        .await?
        .ok_or_else(|| not_ready("client id and secret"))?;
    let mut secrets = Secrets::default();
    secrets.add_client(&credentials.id, credentials.secret.expose_secret());
    let mut members = parameters.to_vec();
    let is_public = |member: &(&str, &str)| {
        PUBLIC.contains(&member.0) || oauth.code_parameters.contains(member)
    };
    for (_, value) in members.iter().filter(|member| !is_public(member)) {
        secrets.add(value);
    }
    if oauth.client_authentication == ClientAuthentication::Body {
        members.push(("client_id", &credentials.id));
        members.push(("client_secret", credentials.secret.expose_secret()));
    }
    let (body, content_type) = encoded(oauth.token_format, &members);
    let mut request = http::Request::new(body);
    *request.method_mut() = Method::POST;
    *request.uri_mut() = url.parse().map_err(|_| not_ready("token endpoint"))?;
    let headers = request.headers_mut();
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(header::CONTENT_TYPE, content_type);
    for (name, value) in oauth.token_headers {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    if oauth.client_authentication == ClientAuthentication::Basic {
        headers.insert(header::AUTHORIZATION, credentials.basic()?);
    }
    request.extensions_mut().insert(LIMITS);
    Ok((request, secrets))
}

/// Encodes the members in the product's format.
fn encoded(format: TokenFormat, members: &[(&str, &str)]) -> (Body, HeaderValue) {
    match format {
        TokenFormat::Form => {
            let form = form_urlencoded::Serializer::new(String::new())
                .extend_pairs(members)
                .finish();
            (
                form.into_bytes().into(),
                HeaderValue::from_static("application/x-www-form-urlencoded"),
            )
        }
        TokenFormat::Json => {
            let members: Map<String, Value> = members
                .iter()
                .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
                .collect();
            (
                Value::Object(members).to_string().into_bytes().into(),
                HeaderValue::from_static("application/json"),
            )
        }
    }
}

fn tokens_of(
    status: u16,
    body: &[u8],
    product: &Product,
    secrets: &Secrets,
) -> Result<TokenResponse, (TokenFailure, String)> {
    if matches!(status, 200..=299) {
        return TokenResponse::read(body).ok_or_else(|| {
            let said = format!("the token endpoint's response ({status}) can't be read");
            (TokenFailure::Unanswered, said)
        });
    }
    let Some(error) = error_of(body, product) else {
        let said = format!("the token endpoint returned {status} without an OAuth error");
        return Err((TokenFailure::Temporary, said));
    };
    let code = shown_code(&error, product, secrets);
    let said = match error.message.as_str() {
        "" => code,
        text => format!("{code}: {}", shown(text, 200, product, secrets)),
    };
    let failure = match error.code.as_str() {
        // A gateway or a rate limiter in front of the server doesn't know about grants.
        _ if status >= 500 || status == 429 => TokenFailure::Temporary,
        "invalid_grant" if status >= 400 => TokenFailure::Rejected,
        "invalid_client" | "unauthorized_client" => TokenFailure::Client,
        // RFC 6749, 4.1.2.1: the server, not the request, is at fault.
        "temporarily_unavailable" | "server_error" => TokenFailure::Temporary,
        code if product.oauth.temporary_errors.contains(&code) => TokenFailure::Temporary,
        _ => TokenFailure::Misconfigured,
    };
    Err((failure, said))
}

/// An error code that is safe to show.
pub(super) fn shown_code(error: &TokenError, product: &Product, secrets: &Secrets) -> String {
    shown(&error.code, 60, product, secrets)
}

/// A text of the endpoint without secrets. Secrets are masked before the text is truncated, so that no part of one
/// remains.
fn shown(text: &str, limit: usize, product: &Product, secrets: &Secrets) -> String {
    mask(&scrub(&secrets.mask(text), limit), product.token_prefixes)
}

/// Parses an error in the form of RFC 6749, 5.2, or in the product's own form. It may repeat the secrets that were
/// sent.
pub(super) fn error_of(body: &[u8], product: &Product) -> Option<TokenError> {
    let members: Map<String, Value> = serde_json::from_slice(body).ok()?;
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    match text("error") {
        Some(code) => Some(TokenError {
            code: code.to_owned(),
            // Some servers say it in `message`.
            message: text("error_description")
                .or_else(|| text("message"))
                .unwrap_or_default()
                .to_owned(),
        }),
        None => (product.oauth.read_token_error)(&members),
    }
}

impl TokenResponse {
    /// `sent_at` is when the request was sent. An expiry counted from then is never too late.
    fn granted(
        self,
        product: &Product,
        sent_at: Timestamp,
        kept: Option<&SecretString>,
    ) -> Granted {
        let lifetime = self
            .expires_in
            .map(Duration::from_secs)
            .or(product.oauth.default_lifetime);
        let end = |lifetime: Duration| {
            let lifetime = SignedDuration::try_from(lifetime).ok()?;
            sent_at.checked_add(lifetime).ok()
        };
        let expires_at = lifetime.and_then(end);
        let given = self.refresh_token.filter(|token| !token.is_empty());
        let rotated = kept.is_some_and(|kept| {
            let presented = kept.expose_secret();
            given.as_ref().is_some_and(|token| token != presented)
        });
        let refresh = given.map(SecretString::from).or_else(|| kept.cloned());
        let refresh_lifetime = self.refresh_token_expires_in.map(Duration::from_secs);
        let reauthorize_by = match refresh {
            Some(_) => refresh_lifetime.and_then(end),
            None => expires_at,
        };
        Granted {
            tokens: TokenSet::new(self.access_token.into(), refresh, expires_at),
            scopes: self.scope.map(|scopes| {
                scopes
                    .split(' ')
                    .filter(|scope| !scope.is_empty())
                    .map(str::to_owned)
                    .collect()
            }),
            rotated,
            reauthorize_by,
            members: self.members,
        }
    }
}

#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod property;
#[cfg(test)]
mod tests;
