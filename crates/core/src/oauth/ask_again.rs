//! Asks a user again for the permissions that they didn't grant.

use secrecy::{ExposeSecret as _, SecretString};

use super::{links, start::StartedAuthorization, start::start};
use crate::{
    Error, ErrorKind, Result, context::Context, domain::authorization::expired,
    identifier::AuthorizationId, resource::NewAuthorizationLink,
};

/// Asks again for the permissions that a user didn't grant. Creates a second authorization of the same account for
/// them, and sends the same browser to the product. The existing connection stays unchanged until that succeeds.
///
/// A link works once, so this doesn't reopen the old one. The first authorization's cookie proves that this is the
/// browser that came back. It's valid for as long as an application would have to confirm.
pub(crate) async fn ask_again(
    context: &Context,
    authorization_id: &str,
    browser: impl FnOnce(AuthorizationId) -> Option<String>,
) -> Result<StartedAuthorization> {
    let unknown = || {
        Error::new(
            ErrorKind::AuthorizationNotFound,
            "no finished authorization has this id",
        )
    };
    let id: AuthorizationId = authorization_id.parse().map_err(|_| unknown())?;
    let authorization = context.store.authorization(id).await?;
    let authorization = authorization.ok_or_else(unknown)?.row;
    let secret = browser(id).map(SecretString::from);
    let bound = authorization.browser.as_ref().zip(secret.as_ref());
    if !bound.is_some_and(|(bound, secret)| bound.is_of(secret.expose_secret())) {
        return Err(Error::new(
            ErrorKind::BrowserMismatch,
            "a different browser opened this link; ask for a new link",
        ));
    }
    if authorization.expires_at <= context.host.now() {
        return Err(expired());
    }
    let account = context.existing_account(authorization.account_id).await?;
    let missing = match &authorization.pending {
        Some(pending) => pending.missing_scopes.clone(),
        None if authorization.is_completed() => account.row.missing_scopes,
        None => Vec::new(),
    };
    if missing.is_empty() {
        return Err(Error::new(
            ErrorKind::AuthorizationConsumed,
            "the user already granted everything that this link asked for",
        ));
    }
    let connection = context
        .connection_by_id(authorization.connection_id)
        .await?;
    let link = links::create(
        context,
        NewAuthorizationLink {
            verify_url: authorization.verify_url,
            state: authorization.app_state,
            scopes: Some(missing),
            ..NewAuthorizationLink::new(
                connection.row.name.as_str(),
                authorization.identifier.as_str(),
            )
        },
    )
    .await?;
    let secret = link.link.rsplit('/').next().unwrap_or_default();
    start(context, secret, None).await
}
