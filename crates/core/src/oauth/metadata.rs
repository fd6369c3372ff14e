//! Documents that an authorization server publishes about itself, in JSON.

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use url::Url;

use super::token_endpoint::{self, LIMITS};
use crate::{
    Error,
    context::Context,
    ports::{Body, TransportError, is_loopback},
};

/// Why a document couldn't be read.
pub(super) enum Unread {
    Address,
    Status(StatusCode),
    Network(TransportError),
}

impl Unread {
    /// Turns this into an error. `failed` builds it from the reason, which names `document`.
    pub(super) fn error(self, document: &str, failed: impl FnOnce(&str) -> Error) -> Error {
        match self {
            Self::Address => failed(&format!("its {document} has no usable address")),
            Self::Status(status) => failed(&format!(
                "its {document} returned the status {}",
                status.as_u16()
            )),
            Self::Network(error) => {
                failed(&format!("its {document} couldn't be fetched: {error}")).with_source(error)
            }
        }
    }
}

/// Reads the document at an address.
pub(super) async fn fetch(context: &Context, address: &str) -> Result<Bytes, Unread> {
    let mut request = http::Request::new(Body::Empty);
    *request.uri_mut() = address.parse().map_err(|_| Unread::Address)?;
    let json = HeaderValue::from_static("application/json");
    request.headers_mut().insert(header::ACCEPT, json);
    request.extensions_mut().insert(LIMITS);
    match token_endpoint::exchange(context, request).await {
        Ok((StatusCode::OK, body)) => Ok(body),
        Ok((status, _)) => Err(Unread::Status(status)),
        Err(error) => Err(Unread::Network(error)),
    }
}

/// The URL where a server publishes its configuration. A trailing slash of the issuer is dropped (OpenID Connect
/// Discovery 1.0, 4.1).
pub(super) fn configuration(issuer: &str) -> String {
    let issuer = issuer.strip_suffix('/').unwrap_or(issuer);
    format!("{issuer}/.well-known/openid-configuration")
}

/// Whether Stead may use an address that a server names. Plain HTTP is only allowed if the server itself is reached by
/// plain HTTP on this machine.
pub(super) fn is_encrypted(address: &str, issuer: &str) -> bool {
    let is_local = |url: &Url| {
        let host = url.host_str().is_some_and(is_loopback);
        url.scheme() == "http" && host && issuer.starts_with("http://")
    };
    Url::parse(address).is_ok_and(|url| url.scheme() == "https" || is_local(&url))
}
