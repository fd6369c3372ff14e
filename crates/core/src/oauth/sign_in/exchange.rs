//! Exchanges a code for an ID token.

use oauth2::{
    AsyncHttpClient, AuthorizationCode, ExtraTokenFields, HttpRequest, HttpResponse,
    PkceCodeVerifier, RequestTokenError, basic::BasicErrorResponseType,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use super::{attempt::Attempt, client, failed, not_completed};
use crate::{
    Result,
    context::{Context, KnownProvider, ProviderEndpoints},
    oauth::token_endpoint::{self, LIMITS},
    ports::{BoxFuture, TransportError},
    scrub::{Secrets, scrub},
};

/// Members of a token response in addition to those of OAuth 2.0.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WithIdToken {
    #[serde(default, skip_serializing)]
    id_token: Option<SecretString>,
}

impl ExtraTokenFields for WithIdToken {}

/// Sends the `oauth2` crate's requests.
struct ByTransport<'a>(&'a Context);

impl<'c> AsyncHttpClient<'c> for ByTransport<'_> {
    type Error = TransportError;
    type Future = BoxFuture<'c, Result<HttpResponse, TransportError>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async move {
            let mut request = request.map(Into::into);
            request.extensions_mut().insert(LIMITS);
            let (status, body) = token_endpoint::exchange(self.0, request).await?;
            let mut response = HttpResponse::new(body.into());
            *response.status_mut() = status;
            Ok(response)
        })
    }
}

/// Exchanges a code for the ID token. Discards the other tokens.
pub(super) async fn id_token(
    context: &Context,
    provider: &KnownProvider,
    endpoints: &ProviderEndpoints,
    attempt: &Attempt,
    code: String,
) -> Result<SecretString> {
    let network = ByTransport(context);
    let verifier = PkceCodeVerifier::new(attempt.verifier.expose_secret().to_owned());
    let client = client(context, provider, endpoints)?;
    let mut secrets = Secrets::default();
    secrets.add(&code);
    secrets.add(attempt.verifier.expose_secret());
    secrets.add_client(
        &provider.options.client_id,
        provider.options.client_secret.expose_secret(),
    );
    let request = client
        .exchange_code(AuthorizationCode::new(code))
        .set_pkce_verifier(verifier);
    let response = request.request_async(&network).await;
    let tokens = response.map_err(|error| match error {
        RequestTokenError::ServerResponse(said) => match said.error() {
            BasicErrorResponseType::InvalidGrant => not_completed(
                "the provider no longer accepts this sign-in, because it was already used or took too long; start again",
            ),
            code => failed(&format!(
                "its token endpoint returned {}",
                scrub(&secrets.mask(code.as_ref()), 60)
            )),
        },
        RequestTokenError::Request(error) => {
            failed("its token endpoint can't be reached").with_source(error)
        }
        // The unreadable response may contain tokens, so the error doesn't include it.
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
            failed("its token endpoint's response can't be read")
        }
    })?;
    let id_token = tokens.extra_fields().id_token.clone();
    id_token.ok_or_else(|| failed("its token endpoint returned no ID token"))
}
