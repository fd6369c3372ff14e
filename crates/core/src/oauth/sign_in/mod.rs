//! Signs members in at the operator's OpenID Connect provider. The browser goes there and comes back with a code. The
//! token endpoint exchanges the code for an ID token that identifies the person (OpenID Connect Core 1.0, 3.1).

mod admission;
mod attempt;
mod begin;
mod claims;
mod discovery;
mod exchange;
mod finish;

pub(crate) use attempt::open as open_attempt;
pub use begin::StartedAtProvider;
pub(crate) use begin::begin;
pub(crate) use claims::Person;
pub(crate) use finish::finish;

use oauth2::{
    AuthType, AuthUrl, Client as OAuthClient, ClientId, ClientSecret, EndpointNotSet, EndpointSet,
    RedirectUrl, StandardRevocableToken, StandardTokenResponse, TokenUrl,
    basic::{
        BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse,
        BasicTokenType,
    },
};
use secrecy::ExposeSecret as _;

use self::exchange::WithIdToken;
use crate::{
    Error, ErrorKind, Result,
    context::{Context, KnownProvider, ProviderEndpoints},
};

/// The path to which the provider sends the browser back.
pub(crate) const CALLBACK: &str = "/dashboard/sign-in/callback";

/// The client that is registered at the provider.
type Client = OAuthClient<
    BasicErrorResponse,
    StandardTokenResponse<WithIdToken, BasicTokenType>,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointSet,
>;

/// Reads the provider's configuration to check that it works.
pub(crate) async fn check(context: &Context) -> Result<()> {
    match &context.issuers.sign_in {
        Some(provider) => discovery::endpoints(context, provider).await.map(drop),
        None => Ok(()),
    }
}

fn client(
    context: &Context,
    provider: &KnownProvider,
    endpoints: &ProviderEndpoints,
) -> Result<Client> {
    let unusable = |what: &'static str| move |_| failed(&format!("the {what} can't be used"));
    let options = &provider.options;
    let authorize = AuthUrl::new(endpoints.authorize.clone());
    let token = TokenUrl::new(endpoints.token.clone());
    let back = RedirectUrl::new(context.site.at(CALLBACK));
    let auth_type = match endpoints.secret_in_body {
        true => AuthType::RequestBody,
        false => AuthType::BasicAuth,
    };
    Ok(OAuthClient::new(ClientId::new(options.client_id.clone()))
        .set_client_secret(ClientSecret::new(
            options.client_secret.expose_secret().to_owned(),
        ))
        .set_auth_type(auth_type)
        .set_auth_uri(authorize.map_err(unusable("authorization endpoint"))?)
        .set_token_uri(token.map_err(unusable("token endpoint"))?)
        .set_redirect_uri(back.map_err(unusable("redirect URI"))?))
}

/// Returns this environment's sign-in provider.
fn provider(context: &Context) -> Result<&KnownProvider> {
    context.issuers.sign_in.as_ref().ok_or_else(|| {
        Error::new(
            ErrorKind::NotFound,
            "this environment has no sign-in provider; sign in with a password",
        )
    })
}

/// The provider failed.
fn failed(why: &str) -> Error {
    let message = format!("signing in at the provider doesn't work: {why}");
    Error::new(ErrorKind::SignInProviderFailed, message)
}

/// The sign-in wasn't completed. The person has to start again.
fn not_completed(why: &str) -> Error {
    Error::new(ErrorKind::SignInFailed, why)
}
