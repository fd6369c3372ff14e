//! Sends a browser to the sign-in provider.
//!
//! The attempt is encrypted in the browser's cookie, not stored in a row. So people who aren't signed in can't write to
//! the store. A callback works once, because the provider accepts its code once.

use oauth2::{CsrfToken, PkceCodeChallenge, PkceCodeVerifier, Scope};
use secrecy::{ExposeSecret as _, SecretString};

use super::{attempt::Attempt, client, discovery::endpoints, provider};
use crate::{Result, context::Context, digest::Digest};

/// The URL that the browser goes to for sign-in, and the cookie that it keeps until it returns.
#[non_exhaustive]
pub struct StartedAtProvider {
    /// The provider's page. It contains the state, so don't log it.
    pub location: String,
    /// Value of the cookie that identifies the browser. Valid for ten minutes.
    pub cookie: SecretString,
}

impl std::fmt::Debug for StartedAtProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StartedAtProvider").finish_non_exhaustive()
    }
}

/// Returns the provider's page for a browser that continues to `next` afterwards. With a session, its member signs in
/// again, even if the provider still has a session for them.
pub(crate) async fn begin(
    context: &Context,
    next: String,
    again: Option<Digest>,
) -> Result<StartedAtProvider> {
    let provider = provider(context)?;
    let endpoints = endpoints(context, provider).await?;
    let attempt = Attempt::new(context, next, again);
    let state = || CsrfToken::new(attempt.state.expose_secret().to_owned());
    let verifier = PkceCodeVerifier::new(attempt.verifier.expose_secret().to_owned());
    let client = client(context, provider, &endpoints)?;
    let mut request = client
        .authorize_url(state)
        .add_scopes(["openid", "email", "profile"].map(|scope| Scope::new(scope.to_owned())))
        .add_extra_param("nonce", attempt.nonce.expose_secret().to_owned())
        .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier));
    if attempt.again.is_some() {
        request = request
            .add_extra_param("prompt", "login")
            .add_extra_param("max_age", "0");
    }
    Ok(StartedAtProvider {
        location: request.url().0.into(),
        cookie: attempt.seal(context)?,
    })
}
