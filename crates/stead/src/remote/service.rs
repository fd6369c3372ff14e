//! One service: its address, the application's credentials and the token issued for them.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::lock::Mutex;
use http::{HeaderValue, Method, Uri, header};
use percent_encoding::utf8_percent_encode;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use stead_core::{
    Error, ErrorKind, Result,
    ports::{Body, Limits, Transport, is_loopback},
    resource::ByteRange,
    tool::UNRESERVED,
};

use super::response;

/// Longer than a service's longest call, because its own time limits give better errors than ours.
const LIMITS: Limits = Limits {
    first_byte: Duration::from_secs(180),
    total: Duration::from_secs(300),
    ..Limits::DEFAULT
};

pub(crate) struct Service {
    /// Without a trailing slash.
    url: String,
    client_id: String,
    client_secret: SecretString,
    transport: Arc<dyn Transport>,
    /// Locked while a token is fetched, so that concurrent calls fetch only one.
    token: Mutex<Option<Arc<HeaderValue>>>,
}

/// A request to the service, without its authorization.
pub(super) struct Outgoing {
    method: Method,
    path: String,
    body: Option<Bytes>,
    idempotency_key: Option<HeaderValue>,
    range: Option<ByteRange>,
    may_write: bool,
}

/// Encodes any text as one path segment.
pub(super) fn segment(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}

impl Outgoing {
    pub(super) fn new(method: Method, path: &str) -> Self {
        Self {
            method,
            path: path.to_owned(),
            body: None,
            idempotency_key: None,
            range: None,
            may_write: false,
        }
    }

    pub(super) fn json(method: Method, path: &str, body: &impl Serialize) -> Result<Self> {
        let body = serde_json::to_vec(body).map_err(|error| {
            Error::new(
                ErrorKind::InvalidRequest,
                "the request cannot be written as JSON",
            )
            .with_source(error)
        })?;
        Ok(Self {
            body: Some(body.into()),
            ..Self::new(method, path)
        })
    }

    /// Adds the header as a string of RFC 8941.
    pub(super) fn idempotency_key(mut self, key: &str) -> Result<Self> {
        let visible = !key.is_empty() && key.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        let quoted = format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""));
        let value = HeaderValue::try_from(quoted).ok().filter(|_| visible);
        self.idempotency_key = Some(value.ok_or_else(|| {
            Error::new(
                ErrorKind::InvalidRequest,
                "an idempotency key has visible ASCII characters",
            )
        })?);
        Ok(self)
    }

    /// Requests a range of the content.
    pub(super) fn range(mut self, range: ByteRange) -> Self {
        self.range = Some(range);
        self
    }

    /// Marks the call as one that may change the user's data. Without a response, its outcome is then unknown.
    pub(super) fn may_write(mut self) -> Self {
        self.may_write = true;
        self
    }
}

impl Service {
    pub(crate) fn new(
        url: &str,
        client_id: String,
        client_secret: SecretString,
        transport: Arc<dyn Transport>,
    ) -> Result<Self> {
        Ok(Self {
            url: base_url(url)?,
            client_id,
            client_secret,
            transport,
            token: Mutex::new(None),
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Sends with the cached token. If the service rejects it, sends once more with a new one.
    pub(super) async fn send(&self, outgoing: Outgoing) -> Result<http::Response<Bytes>> {
        let token = self.token(None).await?;
        let response = self.send_with(&outgoing, &token).await?;
        if response.status() != http::StatusCode::UNAUTHORIZED || response::is_of_product(&response)
        {
            return Ok(response);
        }
        let token = self.token(Some(&token)).await?;
        self.send_with(&outgoing, &token).await
    }

    /// The cached token, or a new one if there is none or it was rejected.
    async fn token(&self, refused: Option<&HeaderValue>) -> Result<Arc<HeaderValue>> {
        let mut cached = self.token.lock().await;
        if let Some(token) = cached.as_ref()
            && refused.is_none_or(|refused| **token != *refused)
        {
            return Ok(Arc::clone(token));
        }
        let token = Arc::new(self.fetch_token().await?);
        *cached = Some(Arc::clone(&token));
        Ok(token)
    }

    /// Fetches a token with client credentials (RFC 6749, 4.4). The secret is in the body.
    async fn fetch_token(&self) -> Result<HeaderValue> {
        #[derive(Deserialize)]
        struct TokenResponse {
            access_token: SecretString,
        }
        let mut form = String::from("grant_type=client_credentials");
        for (name, value) in [
            ("client_id", self.client_id.as_str()),
            ("client_secret", self.client_secret.expose_secret()),
        ] {
            // Writing to a string can't fail.
            let _ = write!(form, "&{name}={}", segment(value));
        }
        let request = self
            .request(&Method::POST, "/oauth/token")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::Bytes(form.into()));
        let response = self.exchange(request, false).await?;
        if !response.status().is_success() {
            return Err(response::token_error(&response));
        }
        let token: TokenResponse = response::read(&response)?;
        bearer(token.access_token.expose_secret())
    }

    async fn send_with(
        &self,
        outgoing: &Outgoing,
        token: &HeaderValue,
    ) -> Result<http::Response<Bytes>> {
        let mut request = self
            .request(&outgoing.method, &outgoing.path)
            .header(header::AUTHORIZATION, token);
        if let Some(key) = &outgoing.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        if let Some(range) = outgoing.range {
            request = request.header(header::RANGE, format!("bytes={range}"));
        }
        let request = match &outgoing.body {
            Some(body) => request
                .header(header::CONTENT_TYPE, "application/json")
                .body(Body::Bytes(body.clone())),
            None => request.body(Body::Empty),
        };
        self.exchange(request, outgoing.may_write).await
    }

    fn request(&self, method: &Method, path: &str) -> http::request::Builder {
        http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .header(
                header::USER_AGENT,
                concat!("stead-client/", env!("CARGO_PKG_VERSION")),
            )
            .extension(LIMITS)
    }

    async fn exchange(
        &self,
        request: Result<http::Request<Body>, http::Error>,
        may_write: bool,
    ) -> Result<http::Response<Bytes>> {
        let request = request.map_err(|error| {
            Error::new(ErrorKind::InvalidRequest, "the request cannot be sent").with_source(error)
        })?;
        let no_response = |error| response::missing(&self.url, error, may_write);
        let (head, body) = self
            .transport
            .send(request)
            .await
            .map_err(no_response)?
            .into_parts();
        let body = body
            .collect(LIMITS.response_bytes)
            .await
            .map_err(no_response)?;
        Ok(http::Response::from_parts(head, body))
    }
}

fn bearer(token: &str) -> Result<HeaderValue> {
    let mut value = HeaderValue::try_from(format!("Bearer {token}"))
        .map_err(|_| response::not_stead("its token is not a header value"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// The URL without a trailing slash. Secrets are sent to it, so plain HTTP is only allowed on this machine.
fn base_url(text: &str) -> Result<String> {
    let refuse = |why: &str| {
        Error::new(
            ErrorKind::InvalidRequest,
            format!("the environment's URL {why}"),
        )
        .with_context("url", text)
    };
    let uri: Uri = text
        .parse()
        .map_err(|error| refuse("is not a URL").with_source(error))?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(refuse("must start with https:// or http://"));
    };
    if text.contains(['?', '#']) || authority.as_str().contains('@') {
        return Err(refuse("must not have a user, query or fragment"));
    }
    match scheme {
        "https" => {}
        "http" if is_loopback(authority.host()) => {}
        "http" => {
            return Err(refuse(
                "must be https; plain http is only for 127.0.0.1 and localhost",
            ));
        }
        _ => return Err(refuse("must start with https:// or http://")),
    }
    Ok(text.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_url_needs_https_except_on_this_machine() {
        for good in [
            "https://stead.example.com",
            "https://example.com/stead/",
            "http://127.0.0.1:8484",
            "http://localhost:1",
            "http://[::1]:8484",
        ] {
            assert_eq!(base_url(good).unwrap(), good.trim_end_matches('/'));
        }
        for bad in [
            "",
            "stead.example.com",
            "http://stead.example.com",
            "http://127.0.0.1.example.com",
            "ftp://localhost",
            "https://a@example.com",
            "https://example.com/?a",
            "https://example.com/#a",
        ] {
            assert_eq!(
                base_url(bad).unwrap_err().kind(),
                ErrorKind::InvalidRequest,
                "{bad}"
            );
        }
    }
}
