//! Creates a link that lets a user connect an account.

use jiff::{SignedDuration, Timestamp};
use secrecy::ExposeSecret as _;

use crate::{
    Error, Result,
    context::{Context, Verification, change::Change},
    digest::Digest,
    domain::{
        Account, Authorization, Connection,
        account::{Trigger, new_account},
        authorization::{self, End, new_authorization},
        readiness::connection_ready,
        scopes::{asked_scopes, read_permissions},
    },
    identifier::{AccountId, AuthorizationId, Identifier},
    product::{Permissions, Product},
    resource::{AuthorizationLink, NewAuthorizationLink},
    store::Versioned,
};

/// Maximum number of open links per account. A new one cancels the oldest.
const OPEN_LINKS: usize = 5;
/// Maximum number of the account's authorizations to look through for open links.
const LOOKED_THROUGH: u32 = 50;
const TOO_MANY: &str = "newer links were made";

type Loaded = (
    Versioned<Connection>,
    Option<Versioned<Account>>,
    Vec<Versioned<Authorization>>,
);

/// Creates a link that lets a user connect an account. The link is single-use and short-lived, and doesn't reveal
/// anything about the user.
pub(crate) async fn create(
    context: &Context,
    new: NewAuthorizationLink,
) -> Result<AuthorizationLink> {
    let identifier = Identifier::new(new.identifier.as_str())?;
    let verify_url = context.site.checked_verify_url(new.verify_url.as_deref())?;
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
            "expected 60 to 86400 seconds, the lifetime of a link",
        ));
    }
    let secret = context.host.new_secret("");
    let id = AuthorizationId::from_uuid(context.host.new_id());
    let new_account_id = AccountId::from_uuid(context.host.new_id());
    let now = context.host.now();
    let expires_at = now
        .checked_add(SignedDuration::from_secs(seconds.into()))
        .unwrap_or(Timestamp::MAX);
    context
        .change(
            "link.create",
            || load(context, &new.connection_name, &identifier),
            |(connection, account, open)| {
                let change = Change::none().guard(connection.row.id, connection.version);
                let connection = connection.row;
                connection_ready(&connection)?;
                let product = context.endpoints_of(&connection)?.product;
                let scopes = new.scopes.as_deref();
                takes_scopes(product, scopes)?;
                let given = read_permissions(product, scopes, "scopes")?;
                let given = scopes.is_some().then_some(given);
                let granted = account
                    .as_ref()
                    .map(|account| account.row.granted_scopes.clone());
                let granted = granted.unwrap_or_default();
                let (account, change) = match account {
                    Some(Versioned { row, version, .. }) => {
                        let revived = row.on(Trigger::LinkMade, now)?;
                        // If the account is erased in the meantime, this commit conflicts.
                        let change = change.guard(row.id, version);
                        let change = change.account(revived, row.state, version);
                        (row, change)
                    }
                    None => {
                        identifier.check_new()?;
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
                    by_application: Some(context.site.verification == Verification::Application),
                    ..new_authorization(id, &account, link, now, expires_at)
                };
                let created = authorization.event("authorization.created");
                // The newest links stay open, because a user may have several tabs.
                let change = open.into_iter().skip(OPEN_LINKS - 1).try_fold(
                    change,
                    |change, Versioned { row, version, .. }| -> Result<Change> {
                        let ended = authorization::Trigger::Ended(End::Superseded, TOO_MANY.into());
                        Ok(change.authorization(row.on(ended, now)?, version))
                    },
                )?;
                Ok((change.insert(authorization).event(created), ()))
            },
        )
        .await?;
    let link = context
        .site
        .at(&format!("/connect/{}", secret.expose_secret()));
    Ok(AuthorizationLink::new(link, expires_at, id))
}

/// Loads a connection. If the user has an account there, also loads the account and its open links, newest first.
async fn load(context: &Context, connection: &str, identifier: &Identifier) -> Result<Loaded> {
    let connection = context.connection_row(connection).await?;
    let account = context
        .store
        .account_of(connection.row.id, identifier)
        .await?;
    let mut open = Vec::new();
    if let Some(account) = &account {
        open = context
            .store
            .authorizations(account.row.id, LOOKED_THROUGH)
            .await?;
        let now = context.host.now();
        open.retain(|link| link.row.openable(now).is_ok());
    }
    Ok((connection, account, open))
}

/// Rejects scopes for a product that has none: there, users choose what to grant on the product's own page.
fn takes_scopes(product: &Product, scopes: Option<&[String]>) -> Result<()> {
    let asked = scopes.is_some_and(|scopes| !scopes.is_empty());
    if asked && !matches!(product.oauth.permissions, Permissions::Scopes { .. }) {
        let none = format!("links of {} don't use scopes; leave them out", product.name);
        return Err(Error::invalid_at("/scopes", none));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
