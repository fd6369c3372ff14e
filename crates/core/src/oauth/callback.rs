//! The browser's return from the product.

use url::{Url, form_urlencoded};

use super::{
    end::end,
    exchange::{FinishedAuthorization, exchange, return_to},
};
use crate::{
    Error, ErrorKind, Result,
    context::Context,
    digest::Digest,
    domain::{
        Authorization, Connection,
        authorization::{End, Trigger, Why, returned_before},
    },
    identifier::{AuthorizationId, ConnectionId},
    scrub::{Secrets, scrub},
};

/// Member of an error's context with the URL that the browser goes to.
const RETURN_TO: &str = "return_to";

/// Query parameters of the browser's return from the product (RFC 6749, 4.1.2, and RFC 9207).
#[derive(Default)]
#[non_exhaustive]
pub struct Callback {
    /// The state that Stead sent.
    pub state: Option<String>,
    /// The authorization code.
    pub code: Option<String>,
    /// Issuer (RFC 9207).
    pub iss: Option<String>,
    /// Error code.
    pub error: Option<String>,
    /// Error text.
    pub error_description: Option<String>,
}

impl Callback {
    /// Parses the query of the URL, without the `?`. Ignores other parameters. If one of these parameters
    /// appears twice, which the standards forbid, Stead reads none of them, because either could be the right one.
    ///
    /// ```
    /// # use stead_core::oauth::Callback;
    /// let callback = Callback::from_query("state=a%2Bb&code=4%2F0A&scope=mail");
    /// assert_eq!(callback.state.as_deref(), Some("a+b"));
    /// assert_eq!(callback.code.as_deref(), Some("4/0A"));
    /// ```
    pub fn from_query(query: &str) -> Self {
        let mut callback = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let member = match name.as_ref() {
                "state" => &mut callback.state,
                "code" => &mut callback.code,
                "iss" => &mut callback.iss,
                "error" => &mut callback.error,
                "error_description" => &mut callback.error_description,
                _ => continue,
            };
            if member.is_some() {
                return Self::default();
            }
            *member = Some(value.into_owned());
        }
        // A parameter without a value counts as absent (RFC 6749, 3.1), but also as one of two repeated parameters.
        let all = [
            &mut callback.state,
            &mut callback.code,
            &mut callback.iss,
            &mut callback.error,
            &mut callback.error_description,
        ];
        for member in all {
            *member = member.take().filter(|value| !value.is_empty());
        }
        callback
    }
}

impl std::fmt::Debug for Callback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Callback")
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

/// Handles the browser's return from the product: validates it, consumes the state and exchanges the code. `browser`
/// returns the cookie of an authorization, if the browser has it.
///
/// The exchange continues if the browser disconnects. If the link leads to a page of this environment, an error's
/// context has that page's URL as `return_to`.
pub(crate) async fn finish(
    context: &Context,
    connection_id: &str,
    callback: Callback,
    browser: impl FnOnce(AuthorizationId) -> Option<String> + Send,
) -> Result<FinishedAuthorization> {
    let unknown = || {
        Error::new(
            ErrorKind::AuthorizationNotFound,
            "this callback from the product doesn't belong to a link; ask for a new link",
        )
    };
    let connection_id: ConnectionId = connection_id.parse().map_err(|_| unknown())?;
    let connection = context
        .store
        .connection(connection_id)
        .await?
        .ok_or_else(unknown)?
        .row;
    let state = callback.state.as_deref().ok_or_else(unknown)?;
    let authorization = context
        .store
        .authorization_by_state(&Digest::of(state))
        .await?;
    let authorization = authorization
        .filter(|found| found.row.connection_id == connection_id)
        .ok_or_else(unknown)?;
    let row = &authorization.row;
    row.returnable(context.host.now())?;
    let cookie = browser(row.id);
    if !row
        .browser
        .as_ref()
        .zip(cookie.as_deref())
        .is_some_and(|(bound, secret)| bound.is_of(secret))
    {
        return Err(Error::new(
            ErrorKind::BrowserMismatch,
            "a different browser opened this link; continue in that browser, or ask for a new link",
        ));
    }
    let own_page = own_page(context, row);
    let (id, state) = (row.id, Digest::of(state));
    let finished = match check_issuer(row, &callback) {
        Ok(()) => {
            context
                .detached(|context| async move {
                    take(&context, connection, id, &state, callback).await
                })
                .await?
        }
        Err(error) => Err(error),
    };
    finished.map_err(|error| match own_page {
        Some(url) => error.with_context(RETURN_TO, url),
        None => error,
    })
}

async fn take(
    context: &Context,
    connection: Connection,
    id: AuthorizationId,
    state: &Digest,
    callback: Callback,
) -> Result<FinishedAuthorization> {
    let authorization = spend_state(context, id, state).await?;
    if let Some(error) = callback.error {
        // Stead doesn't exchange a code that comes with an error, so it's still a valid secret and is masked.
        let mut secrets = Secrets::default();
        secrets.add(callback.code.as_deref().unwrap_or_default());
        let text = callback.error_description.unwrap_or_default();
        let (error, text) = (secrets.mask(&error), secrets.mask(&text));
        return Err(refused(context, id, &error, &text).await);
    }
    let Some(code) = callback.code.filter(|code| !code.is_empty()) else {
        let is_returned = Authorization::is_returned;
        let _ = end(context, id, is_returned, End::Failed, "no_code").await;
        return Err(Error::new(
            ErrorKind::AuthorizationFailed,
            "the product returned neither a code nor an error; ask for a new link",
        ));
    };
    exchange(context, connection, authorization, code.into()).await
}

/// The page of this environment that the browser goes to after a success or a failure; it reads the outcome itself.
/// Applications get failures from events instead.
fn own_page(context: &Context, row: &Authorization) -> Option<String> {
    let url = return_to(row)?;
    let origin = Url::parse(&url).ok()?.origin();
    (origin == context.site.public_url.origin()).then_some(url)
}

/// Consumes the state, so that Stead accepts no other callback. This continues if the browser disconnects, so that the
/// code isn't lost.
async fn spend_state(
    context: &Context,
    id: AuthorizationId,
    state: &Digest,
) -> Result<Authorization> {
    context
        .change_authorization("authorization.return", id, |row| {
            // The browser may have started again in the meantime.
            if row.oauth_state.as_ref() != Some(state) {
                return Err(returned_before());
            }
            row.on(Trigger::Returned, context.host.now())
        })
        .await?
        .ok_or_else(returned_before)
}

async fn refused(context: &Context, id: AuthorizationId, code: &str, text: &str) -> Error {
    let code = scrub(code, 60);
    let (how, error) = match code.as_str() {
        "access_denied" => (
            End::Denied,
            Error::new(
                ErrorKind::AuthorizationDenied,
                "you didn't allow access, so nothing was connected",
            ),
        ),
        "temporarily_unavailable" | "server_error" => (
            End::Failed,
            Error::new(
                ErrorKind::AuthorizationFailed,
                "the product couldn't complete this right now; ask for a new link",
            ),
        ),
        _ => (
            End::Failed,
            Error::new(
                ErrorKind::AuthorizationFailed,
                "the product refuses this application's request; its developer needs to fix it",
            ),
        ),
    };
    let error = error
        .with_context("product_error", code.as_str())
        .with_context("product_message", scrub(text, 200))
        .without_credentials(&context.products.catalogue.token_prefixes());
    let why = Why::of(&code, &error);
    match end(context, id, Authorization::is_returned, how, why).await {
        Ok(_) => error,
        Err(storage) => storage,
    }
}

/// RFC 9207, 2.4: compares without normalization. A callback without `iss` passes, because some servers omit it. Each
/// connection has its own redirect URI, which also protects against mix-up.
fn check_issuer(row: &Authorization, callback: &Callback) -> Result<()> {
    let expected = row
        .endpoints
        .as_ref()
        .and_then(|endpoints| endpoints.issuer.as_deref());
    match (expected, callback.iss.as_deref()) {
        (Some(expected), Some(given)) if expected != given => Err(Error::new(
            ErrorKind::AuthorizationFailed,
            "the response comes from a different authorization server than the one Stead asked; ask for a new link",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_once() {
        let callback = Callback::from_query(
            "state=a%2Bb&code=4%2F0A&iss=https%3A%2F%2Fas.test&scope=x&authuser=0&error=",
        );
        assert_eq!(callback.state.as_deref(), Some("a+b"));
        assert_eq!(callback.code.as_deref(), Some("4/0A"));
        assert_eq!(callback.iss.as_deref(), Some("https://as.test"));
        assert_eq!(callback.error, None);
        for twice in [
            "state=a&code=c&iss=x&iss=y",
            "state=a&code=c&iss=x&iss=",
            "state=a&code=c&iss=&iss=x",
        ] {
            let twice = Callback::from_query(twice);
            assert!(twice.state.is_none() && twice.code.is_none() && twice.iss.is_none());
        }
    }
}
