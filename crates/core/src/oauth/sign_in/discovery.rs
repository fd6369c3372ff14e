//! What a provider says about itself (OpenID Connect Discovery 1.0).

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, header};
use serde::Deserialize;
use url::Url;

use super::failed;
use crate::{
    Result,
    context::{Context, KnownProvider, ProviderEndpoints},
    oauth::token_endpoint::{self, LIMITS},
    ports::{Body, is_loopback},
};

/// Members of the document that are needed here.
#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    /// Only `client_secret_basic` where it is absent.
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// RFC 9207.
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

/// The provider's endpoints, read at most once in an hour.
pub(super) async fn endpoints(
    context: &Context,
    provider: &KnownProvider,
) -> Result<Arc<ProviderEndpoints>> {
    let read = read(context, &provider.options.issuer);
    provider.endpoints(context.monotonic(), read).await
}

async fn read(context: &Context, issuer: &str) -> Result<ProviderEndpoints> {
    let document = fetch(context, issuer).await?;
    let document: Document = serde_json::from_slice(&document)
        .map_err(|_| failed("its discovery document cannot be read"))?;
    // 4.3: exactly, or another provider could speak for this one.
    if document.issuer != issuer {
        return Err(failed(
            "its discovery document names another issuer than the one that is configured",
        ));
    }
    let methods = document.token_endpoint_auth_methods_supported;
    let takes = |name: &str| methods.iter().flatten().any(|method| method == name);
    Ok(ProviderEndpoints {
        secret_in_body: takes("client_secret_post") && !takes("client_secret_basic"),
        names_itself: document.authorization_response_iss_parameter_supported,
        authorize: encrypted(document.authorization_endpoint, issuer)?,
        token: encrypted(document.token_endpoint, issuer)?,
    })
}

async fn fetch(context: &Context, issuer: &str) -> Result<Bytes> {
    // 4.1: a slash at the end of the issuer goes.
    let address = issuer.strip_suffix('/').unwrap_or(issuer);
    let address = format!("{address}/.well-known/openid-configuration");
    let mut request = http::Request::new(Body::Empty);
    *request.uri_mut() = address
        .parse()
        .map_err(|_| failed("its discovery document has no usable address"))?;
    let json = HeaderValue::from_static("application/json");
    request.headers_mut().insert(header::ACCEPT, json);
    request.extensions_mut().insert(LIMITS);
    match token_endpoint::exchange(context, request).await {
        Ok((status, body)) if status == http::StatusCode::OK => Ok(body),
        Ok((status, _)) => Err(failed(&format!(
            "its discovery document came with the status {}",
            status.as_u16()
        ))),
        Err(error) => Err(failed("its discovery document could not be fetched").with_source(error)),
    }
}

/// Plain http is for a provider of this machine, which itself is reached so.
fn encrypted(endpoint: String, issuer: &str) -> Result<String> {
    let is_local = |url: &Url| {
        let host = url.host_str().is_some_and(is_loopback);
        url.scheme() == "http" && host && issuer.starts_with("http://")
    };
    match Url::parse(&endpoint) {
        Ok(url) if url.scheme() == "https" || is_local(&url) => Ok(endpoint),
        _ => Err(failed(
            "its discovery document names an endpoint that is not https",
        )),
    }
}
