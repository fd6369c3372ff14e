//! Ties a link to the browser that opens it, and sends the browser to the product.

use oauth2::{
    AuthUrl, ClientId, CsrfToken, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope,
    basic::BasicClient,
};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::connect_page::authorization_of_link;
use crate::{
    Error, ErrorKind, Result,
    context::{Context, Endpoints, change::Change},
    digest::Digest,
    domain::{
        Authorization, Connection,
        authorization::{Start, Trigger},
        readiness::connection_ready,
    },
    identifier::AuthorizationId,
    sealed::place,
    store::Versioned,
};

/// The URL that the browser goes to, and the cookie that ties the link to the browser.
#[non_exhaustive]
pub struct StartedAuthorization {
    /// The authorization. Its ID is part of the cookie's name.
    pub authorization_id: AuthorizationId,
    /// The product's authorization page. It contains the state, so don't log it.
    pub location: String,
    /// Value of the cookie that ties the link to the browser.
    pub browser: SecretString,
}

impl std::fmt::Debug for StartedAuthorization {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StartedAuthorization")
            .field("authorization_id", &self.authorization_id)
            .finish_non_exhaustive()
    }
}

/// Secrets that tie a link to a browser. A browser that starts again keeps all of them, so the user can finish any of
/// its open consent pages.
struct Secrets {
    state: SecretString,
    cookie: SecretString,
    verifier: Option<SecretString>,
}

impl Secrets {
    async fn of(
        context: &Context,
        row: &Authorization,
        browser: Option<&str>,
        pkce: bool,
    ) -> Result<Self> {
        let kept = browser.filter(|_| row.browser.is_some());
        let cookie = kept.map_or_else(|| context.host.new_secret(""), SecretString::from);
        // The state is a digest, so a party that knows it, such as the product, can't derive the cookie.
        let state = Digest::of(&format!("{} {}", row.id, cookie.expose_secret()));
        let verifier = match (&row.verifier, kept) {
            (Some(sealed), Some(_)) => {
                let place = place::Verifier(row.id);
                let verifier = context.store.vault.open(&place, sealed).await?;
                SecretString::from(String::from_utf8_lossy(&verifier).into_owned())
            }
            _ => context.host.new_secret(""),
        };
        Ok(Self {
            state: state.as_str().into(),
            cookie,
            verifier: pkce.then_some(verifier),
        })
    }
}

/// Ties the link to the browser and sends the browser to the product. `browser` is the cookie of this authorization, if
/// the browser has one. Only the first browser can use the link, and it can start again.
pub(crate) async fn start(
    context: &Context,
    link: &str,
    browser: Option<&str>,
) -> Result<StartedAuthorization> {
    context
        .change(
            "authorization.start",
            || load(context, link, browser),
            |(authorization, start, started)| {
                let Versioned { row, version, .. } = authorization;
                let changed = row.on(Trigger::Started(Box::new(start)), context.host.now())?;
                Ok((Change::none().authorization(changed, version), started))
            },
        )
        .await
}

async fn load(
    context: &Context,
    link: &str,
    browser: Option<&str>,
) -> Result<(Versioned<Authorization>, Start, StartedAuthorization)> {
    let authorization = authorization_of_link(context, link).await?;
    let row = &authorization.row;
    row.openable(context.host.now())?;
    if let Some(bound) = &row.browser
        && !browser.is_some_and(|secret| bound.is_of(secret))
    {
        return Err(Error::new(
            ErrorKind::BrowserMismatch,
            "this link was opened in another browser; continue there, or ask for a new link",
        ));
    }
    let connection = context.connection_by_id(row.connection_id).await?.row;
    connection_ready(&connection)?;
    let endpoints = context.endpoints_of(&connection)?;
    let secrets = Secrets::of(context, row, browser, endpoints.product.oauth.pkce).await?;
    let seal = |verifier: &SecretString| {
        let bytes = verifier.expose_secret().as_bytes();
        context.store.vault.seal(&place::Verifier(row.id), bytes)
    };
    let verifier = secrets.verifier.as_ref().map(seal).transpose()?;
    let start = Start {
        oauth_state: Digest::of(secrets.state.expose_secret()),
        browser: Digest::of(secrets.cookie.expose_secret()),
        endpoints: endpoints.snapshot(),
        client_epoch: connection.client_epoch,
        verifier,
    };
    // A user who is signed in with several accounts can easily choose a different one than last time.
    let account = context.existing_account(row.account_id).await?.row;
    let hint = account.subject.map(|subject| subject.id);
    let location = authorize_url(
        context,
        &endpoints,
        &connection,
        &row.scopes,
        hint,
        &secrets,
    )?;
    let started = StartedAuthorization {
        authorization_id: row.id,
        location: location.into(),
        browser: secrets.cookie,
    };
    Ok((authorization, start, started))
}

/// RFC 6749, 4.1.1, with RFC 7636, 4.3.
fn authorize_url(
    context: &Context,
    endpoints: &Endpoints,
    connection: &Connection,
    scopes: &[String],
    user: Option<String>,
    secrets: &Secrets,
) -> Result<Url> {
    let misconfigured = |what: &str| {
        Error::new(
            ErrorKind::ConnectionNotReady,
            format!("the connection has no usable {what}"),
        )
    };
    let client_id = connection.client_id.clone();
    let client = BasicClient::new(ClientId::new(
        client_id.ok_or_else(|| misconfigured("client id"))?,
    ))
    .set_auth_uri(
        AuthUrl::new(endpoints.snapshot().authorize)
            .map_err(|_| misconfigured("authorization endpoint"))?,
    )
    .set_redirect_uri(
        RedirectUrl::new(context.site.redirect_uri(connection.id))
            .map_err(|_| misconfigured("redirect URI"))?,
    );
    let state = || CsrfToken::new(secrets.state.expose_secret().to_owned());
    let mut request = client
        .authorize_url(state)
        .add_scopes(scopes.iter().cloned().map(Scope::new));
    for (name, value) in endpoints.product.oauth.authorize_parameters {
        request = request.add_extra_param(*name, *value);
    }
    if let (Some(name), Some(user)) = (endpoints.product.oauth.login_hint, user) {
        request = request.add_extra_param(name, user);
    }
    if let Some(verifier) = &secrets.verifier {
        let verifier = PkceCodeVerifier::new(verifier.expose_secret().to_owned());
        request =
            request.set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier));
    }
    Ok(request.url().0)
}
