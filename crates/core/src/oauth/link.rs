use jiff::{SignedDuration, Timestamp};
use oauth2::{CsrfToken, PkceCodeChallenge, PkceCodeVerifier, Scope};
use secrecy::{ExposeSecret as _, SecretString};
use subtle::ConstantTimeEq as _;
use url::Url;

use super::client::oauth_client;
use crate::{
    Error, ErrorKind, Result,
    context::{Context, Verification, endpoints::is_loopback},
    digest::Digest,
    domain::account::new_account,
    domain::authorization::{expired, openable, redirected},
    domain::connection::{asked_scopes, check_permissions, connection_ready},
    domain::{Authorization, AuthorizationState, Connection},
    identifier::{AccountId, AuthorizationId, ConnectionName, Identifier},
    resource::{AuthorizationLink, NewAuthorizationLink},
    seal::AssociatedData,
    state::AccountState,
    store::{Batch, Commit, Versioned},
};

/// What the page that the link leads to says.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConnectPage {
    /// Authorization.
    pub authorization_id: AuthorizationId,
    /// Connection.
    pub connection_name: ConnectionName,
    /// Product.
    pub product: &'static str,
    /// Name of the product for people.
    pub product_title: &'static str,
    /// Scopes that will be asked for.
    pub scopes: Vec<String>,
    /// The product's plain words for scopes.
    pub scope_descriptions: &'static [(&'static str, &'static str)],
    /// When the link ends.
    pub expires_at: Timestamp,
}

/// Where the browser goes, and what binds it.
#[non_exhaustive]
pub struct StartedAuthorization {
    /// Authorization; names the cookie.
    pub authorization_id: AuthorizationId,
    /// The product's authorization page. Holds the state: do not log it.
    pub location: String,
    /// Value of the cookie that binds the browser.
    pub browser: SecretString,
}

impl std::fmt::Debug for StartedAuthorization {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StartedAuthorization")
            .field("authorization_id", &self.authorization_id)
            .finish_non_exhaustive()
    }
}

/// Makes a link that lets a user connect an account. The link is single-use and short-lived, and tells nothing
/// about the user.
///
/// # Errors
/// [`ErrorKind::UnknownConnection`], [`ErrorKind::ConnectionNotReady`], [`ErrorKind::InvalidRequest`].
pub(crate) async fn create_link(
    context: &Context,
    new: NewAuthorizationLink,
) -> Result<AuthorizationLink> {
    let identifier = Identifier::new(new.identifier.as_str())?;
    let Versioned {
        row: connection,
        version: connection_version,
        ..
    } = context.connection_row(&new.connection_name).await?;
    connection_ready(&connection)?;
    let product = context.endpoints_of(&connection)?.product;
    check_permissions(product, new.scopes.as_deref().unwrap_or_default())?;
    let verify_url = checked_verify_url(context, new.verify_url.as_deref())?;
    if new
        .state
        .as_ref()
        .is_some_and(|state| state.chars().count() > 500)
    {
        return Err(Error::invalid_at(
            "/state",
            "the state has at most 500 characters",
        ));
    }
    let seconds = new.expires_in.unwrap_or(600);
    if !(60..=86_400).contains(&seconds) {
        return Err(Error::invalid_at(
            "/expires_in",
            "a link lives 60 to 86400 seconds",
        ));
    }
    let secret = context.new_secret("");
    let now = context.now();
    let expires_at = now
        .checked_add(SignedDuration::from_secs(seconds.into()))
        .unwrap_or(Timestamp::MAX);
    loop {
        let (account_id, batch) = awaited_account(context, &connection, &identifier, now).await?;
        let row = Authorization {
            id: AuthorizationId::from_uuid(context.new_id()),
            account_id,
            connection_id: connection.id,
            identifier: identifier.clone(),
            state: AuthorizationState::Created,
            reason: None,
            link: Digest::of(secret.expose_secret()),
            oauth_state: None,
            browser: None,
            verifier: None,
            endpoints: None,
            scopes: asked_scopes(product, &connection, new.scopes.as_deref())?,
            verify_url: verify_url.clone(),
            app_state: new.state.clone(),
            allow_account_switch: new.allow_account_switch.unwrap_or(false),
            quarantine: None,
            created_at: now,
            expires_at,
        };
        let id = row.id;
        let batch = batch.guard(connection.id, connection_version).insert(row);
        if context.store.commit(batch).await? == Commit::Committed {
            context
                .snapshots
                .forget(connection.name.as_str(), identifier.as_str());
            let link = context.at(&format!("/connect/{}", secret.expose_secret()));
            return Ok(AuthorizationLink::new(link, expires_at, id));
        }
        if context.connection_row(&new.connection_name).await?.version != connection_version {
            return Err(Error::new(
                ErrorKind::InvalidTransition,
                "the connection changed meanwhile; try again",
            ));
        }
    }
}

/// The account that a link is for: made where there is none, revived where it was disconnected.
async fn awaited_account(
    context: &Context,
    connection: &Connection,
    identifier: &Identifier,
    now: Timestamp,
) -> Result<(AccountId, Batch)> {
    let Some(Versioned { row, version, .. }) =
        context.store.account_of(connection.id, identifier).await?
    else {
        let row = new_account(
            AccountId::from_uuid(context.new_id()),
            connection.id,
            identifier.clone(),
            now,
        );
        let (id, event) = (row.id, context.account_event("account.created", &row));
        return Ok((id, Batch::new().insert(row).insert(event)));
    };
    let id = row.id;
    if row.state != AccountState::Disconnected {
        return Ok((id, Batch::new()));
    }
    let mut revived = row;
    revived.state = AccountState::PendingAuthorization;
    revived.updated_at = now;
    let event = context.account_event("account.created", &revived);
    Ok((id, Batch::new().update(revived, version).insert(event)))
}

fn checked_verify_url(context: &Context, given: Option<&str>) -> Result<Option<String>> {
    let Some(given) = given else {
        return match context.verification {
            Verification::LinkPossession => Ok(None),
            Verification::Application => Err(Error::invalid_at(
                "/verify_url",
                "verify_url is required: the user's browser returns there, and your application confirms who it was",
            )),
        };
    };
    let wrong = || {
        Error::invalid_at(
            "/verify_url",
            "verify_url is an https URL without user and fragment (http for this machine alone)",
        )
    };
    let url = Url::parse(given).map_err(|_| wrong())?;
    let safe = url.scheme() == "https" || (url.scheme() == "http" && is_loopback(&url));
    if !safe
        || url.host().is_none()
        || !url.username().is_empty()
        || url.password().is_some()
        || url.fragment().is_some()
    {
        return Err(wrong());
    }
    Ok(Some(url.into()))
}

/// What the page of a link says. Changes nothing: mail scanners open links too.
///
/// # Errors
/// [`ErrorKind::AuthorizationNotFound`], [`ErrorKind::AuthorizationExpired`], [`ErrorKind::AuthorizationConsumed`],
/// [`ErrorKind::ConnectionNotReady`].
pub(crate) async fn connect_page(context: &Context, link: &str) -> Result<ConnectPage> {
    let authorization = authorization_of_link(context, link).await?.row;
    openable(&authorization, context.now())?;
    let connection = context
        .connection_by_id(authorization.connection_id)
        .await?
        .row;
    connection_ready(&connection)?;
    let product = context.endpoints_of(&connection)?.product;
    Ok(ConnectPage {
        authorization_id: authorization.id,
        connection_name: connection.name,
        product: product.name,
        product_title: product.title,
        scopes: authorization.scopes,
        scope_descriptions: product.scope_descriptions,
        expires_at: authorization.expires_at,
    })
}

/// Binds the browser to the link and sends it to the product. `browser` is the cookie of this authorization where
/// the browser has one: the first browser keeps the link, and may start over.
///
/// # Errors
/// As [`Context::connect_page`], and [`ErrorKind::BrowserMismatch`] for a second browser.
pub(crate) async fn start(
    context: &Context,
    link: &str,
    browser: Option<&str>,
) -> Result<StartedAuthorization> {
    loop {
        let Versioned { row, version, .. } = authorization_of_link(context, link).await?;
        openable(&row, context.now())?;
        if let Some(bound) = &row.browser
            && !browser.is_some_and(|secret| same(bound, secret))
        {
            return Err(Error::new(
                ErrorKind::BrowserMismatch,
                "this link was opened in another browser; go on there, or ask for a new link",
            ));
        }
        let connection = context.connection_by_id(row.connection_id).await?.row;
        connection_ready(&connection)?;
        let endpoints = context.endpoints_of(&connection)?;
        let product = endpoints.product;
        let snapshot = endpoints.snapshot();
        let state = context.new_secret("");
        let cookie = match browser.filter(|_| row.browser.is_some()) {
            Some(kept) => SecretString::from(kept),
            None => context.new_secret(""),
        };
        let client = oauth_client(context, product, &connection, &snapshot)?;
        let mut request = client.authorize_url(|| CsrfToken::new(state.expose_secret().to_owned()));
        for scope in &row.scopes {
            request = request.add_scope(Scope::new(scope.clone()));
        }
        for (name, value) in product.oauth.authorize_parameters {
            request = request.add_extra_param(*name, *value);
        }
        let mut next = redirected(&row, context.now());
        next.oauth_state = Some(Digest::of(state.expose_secret()));
        next.browser = Some(Digest::of(cookie.expose_secret()));
        next.endpoints = Some(snapshot);
        if product.oauth.pkce {
            let verifier = context.new_secret("");
            let challenge = PkceCodeChallenge::from_code_verifier_sha256(&PkceCodeVerifier::new(
                verifier.expose_secret().to_owned(),
            ));
            request = request.set_pkce_challenge(challenge);
            next.verifier = Some(
                context
                    .vault
                    .seal(verifier_place(row.id), verifier.expose_secret().as_bytes())?,
            );
        }
        let (location, _) = request.url();
        match context
            .store
            .commit(Batch::new().update(next, version))
            .await?
        {
            Commit::Committed => {
                return Ok(StartedAuthorization {
                    authorization_id: row.id,
                    location: location.into(),
                    browser: cookie,
                });
            }
            Commit::Conflict => continue,
        }
    }
}

async fn authorization_of_link(context: &Context, link: &str) -> Result<Versioned<Authorization>> {
    let unknown = || {
        Error::new(
            ErrorKind::AuthorizationNotFound,
            "this link is not known; ask for a new one",
        )
    };
    if link.len() != 43 {
        return Err(unknown());
    }
    let found = context
        .store
        .authorization_by_link(&Digest::of(link))
        .await?
        .ok_or_else(unknown)?;
    if found.row.state == AuthorizationState::Expired {
        return Err(expired());
    }
    Ok(found)
}

pub(super) fn verifier_place(id: AuthorizationId) -> AssociatedData<'static> {
    AssociatedData::new("authorization", id.uuid(), "verifier")
}

/// Compares a secret with a stored fingerprint in constant time.
pub(super) fn same(stored: &Digest, secret: &str) -> bool {
    stored
        .as_str()
        .as_bytes()
        .ct_eq(Digest::of(secret).as_str().as_bytes())
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{STABLE, World, always, context};

    #[test]
    fn a_verify_url_is_https_or_of_this_machine() {
        let context = context(&World::new(), &STABLE, always(200, ""));
        let good = [
            "https://app.test/back",
            "https://app.test/back?tab=1",
            "https://app.test:8443/",
            "http://localhost:3000/back",
            "http://127.0.0.1/back",
            "http://[::1]:3000/back",
        ];
        for url in good {
            assert_eq!(
                checked_verify_url(&context, Some(url)).unwrap().as_deref(),
                Some(url)
            );
        }
        let bad = [
            "",
            "back",
            "/back",
            "//app.test/back",
            "http://app.test/back",
            "http://localhost.app.test",
            "ftp://app.test",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "com.app.custom://back",
            "https://ada@app.test/",
            "https://:secret@app.test/",
            "https://app.test/#part",
            "https://app.test/#",
        ];
        for url in bad {
            let error = checked_verify_url(&context, Some(url)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{url}");
            assert_eq!(error.violation_list()[0].path, "/verify_url", "{url}");
        }
    }

    #[test]
    fn an_application_that_verifies_says_where_its_user_comes_back() {
        let context = context(&World::new(), &STABLE, always(200, ""));
        assert_eq!(context.verification, Verification::Application);
        assert_eq!(
            checked_verify_url(&context, None)
                .unwrap_err()
                .violation_list()[0]
                .path,
            "/verify_url"
        );
    }

    #[test]
    fn a_secret_is_the_same_as_its_own_fingerprint_alone() {
        let stored = Digest::of("cookie");
        assert!(same(&stored, "cookie"));
        for other in ["", "cooki", "cookie ", "Cookie", stored.as_str()] {
            assert!(!same(&stored, other), "{other}");
        }
    }
}
