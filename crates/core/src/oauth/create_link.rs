//! Makes a link that lets a user connect an account.

use jiff::{SignedDuration, Timestamp};
use secrecy::ExposeSecret as _;
use url::Url;

use crate::{
    Error, Result,
    context::{Context, Verification, change::Change, endpoints::is_loopback},
    digest::Digest,
    domain::{
        Account, Authorization, Connection,
        account::{Trigger, new_account},
        authorization::new_authorization,
        readiness::connection_ready,
        scopes::{asked_scopes, read_permissions},
    },
    error::Violation,
    identifier::{AccountId, AuthorizationId, Identifier},
    resource::{AuthorizationLink, NewAuthorizationLink},
    store::Versioned,
};

/// Makes a link that lets a user connect an account. The link is single-use and short-lived, and tells nothing
/// about the user.
pub(crate) async fn create_link(
    context: &Context,
    new: NewAuthorizationLink,
) -> Result<AuthorizationLink> {
    let identifier = Identifier::new(new.identifier.as_str())?;
    let verify_url = checked_verify_url(context, new.verify_url.as_deref())?;
    let state_length = new.state.as_ref().map_or(0, |state| state.chars().count());
    if state_length > 500 {
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
    let id = AuthorizationId::from_uuid(context.new_id());
    let new_account_id = AccountId::from_uuid(context.new_id());
    let now = context.now();
    let expires_at = now
        .checked_add(SignedDuration::from_secs(seconds.into()))
        .unwrap_or(Timestamp::MAX);
    context
        .change(
            "link.create",
            || load(context, &new.connection_name, &identifier),
            |(connection, account)| {
                let change = Change::none().guard(connection.row.id, connection.version);
                let connection = connection.row;
                connection_ready(&connection)?;
                let product = context.endpoints_of(&connection)?.product;
                let scopes = new.scopes.as_deref();
                let given = read_permissions(product, scopes, "scopes")?;
                let given = scopes.is_some().then_some(given);
                let granted = account
                    .as_ref()
                    .map(|account| account.row.granted_scopes.clone());
                let granted = granted.unwrap_or_default();
                let (account, change) = match account {
                    Some(Versioned { row, version, .. }) => {
                        let revived = row.on(Trigger::LinkMade, now)?;
                        (row, change.account(revived, version))
                    }
                    None => {
                        let row =
                            new_account(new_account_id, connection.id, identifier.clone(), now);
                        (row.clone(), change.insert_account(row, "account.created"))
                    }
                };
                let link = Digest::of(secret.expose_secret());
                let authorization = Authorization {
                    scopes: asked_scopes(product, &connection, given.as_deref(), &granted)?,
                    verify_url: verify_url.clone(),
                    app_state: new.state.clone(),
                    allow_account_switch: new.allow_account_switch.unwrap_or(false),
                    by_application: Some(context.verification == Verification::Application),
                    ..new_authorization(id, &account, link, now, expires_at)
                };
                let created = authorization.event("authorization.created");
                Ok((change.insert(authorization).event(created), ()))
            },
        )
        .await?;
    let link = context.at(&format!("/connect/{}", secret.expose_secret()));
    Ok(AuthorizationLink::new(link, expires_at, id))
}

/// A connection, and the account of the user where there is one.
async fn load(
    context: &Context,
    connection: &str,
    identifier: &Identifier,
) -> Result<(Versioned<Connection>, Option<Versioned<Account>>)> {
    let connection = context.connection_row(connection).await?;
    let account = context
        .store
        .account_of(connection.row.id, identifier)
        .await?;
    Ok((connection, account))
}

fn checked_verify_url(context: &Context, given: Option<&str>) -> Result<Option<String>> {
    let Some(given) = given else {
        return match context.verification {
            Verification::LinkPossession => Ok(None),
            Verification::Application => Err(Error::invalid(vec![Violation::new(
                "/verify_url",
                "required",
                "verify_url is required: the user's browser returns there, and your application confirms who it was",
            )])),
        };
    };
    let wrong = || {
        Error::invalid_at(
            "/verify_url",
            "verify_url is an https URL without user and fragment (http for this machine only)",
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
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
}
