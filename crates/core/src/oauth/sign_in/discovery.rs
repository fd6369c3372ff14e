//! A provider's metadata (OpenID Connect Discovery 1.0).

use std::sync::Arc;

use serde::Deserialize;

use super::failed;
use crate::{
    Result,
    context::{Context, KnownProvider, ProviderEndpoints},
    oauth::metadata,
};

/// The members of the document that Stead needs.
#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    /// If absent, only `client_secret_basic`.
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// Whether responses have `iss` (RFC 9207).
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

/// Returns the provider's endpoints. Reads them at most once an hour.
pub(super) async fn endpoints(
    context: &Context,
    provider: &KnownProvider,
) -> Result<Arc<ProviderEndpoints>> {
    let read = read(context, &provider.options.issuer);
    provider.endpoints(context.host.monotonic(), read).await
}

async fn read(context: &Context, issuer: &str) -> Result<ProviderEndpoints> {
    let document = metadata::fetch(context, &metadata::configuration(issuer)).await;
    let document = document.map_err(|unread| unread.error("discovery document", failed))?;
    let document: Document = serde_json::from_slice(&document)
        .map_err(|_| failed("its discovery document can't be read"))?;
    // The issuer has to match exactly, or another provider could speak for it (4.3).
    if document.issuer != issuer {
        return Err(failed(
            "its discovery document names a different issuer than the one you configured",
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

/// Checks that an endpoint may be used.
fn encrypted(endpoint: String, issuer: &str) -> Result<String> {
    match metadata::is_encrypted(&endpoint, issuer) {
        true => Ok(endpoint),
        false => Err(failed(
            "its discovery document has an endpoint that doesn't start with https://",
        )),
    }
}
