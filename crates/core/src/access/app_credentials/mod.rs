//! Credentials of applications. A caller can't create a credential with more permissions than its own. A caller that is
//! limited to some connections can only see credentials limited to these, and a caller with a policy only those with
//! that policy.

mod change;
mod create;
mod delete;
mod read;
mod rotate;
#[cfg(test)]
mod tests;

pub(crate) use change::change;
pub(crate) use create::create;
pub(crate) use delete::delete;
pub(crate) use read::{list, read};
pub(crate) use rotate::{revoke_secret, rotate};

use secrecy::{ExposeSecret as _, SecretString};

use crate::{
    Error, ErrorKind, Result,
    caller::Connections,
    context::Context,
    domain::{AppCredential, AppSecret, NewEvent, Policy},
    error::Violation,
    scope::{ScopeName, Scopes},
    store::Versioned,
};

/// Scopes that let a caller give itself or others more access, or assign accounts to users.
const CONTROL: [ScopeName; 4] = [
    ScopeName::MembersManage,
    ScopeName::KeysManage,
    ScopeName::CredentialsManage,
    ScopeName::AccountsImport,
];

/// Maximum rate limit in requests per minute.
const MOST_PER_MINUTE: u32 = 1_000_000;

/// The credential's row.
async fn row(context: &Context, client_id: &str) -> Result<Versioned<AppCredential>> {
    let found = context.store.app_credential(client_id).await?;
    let seen = |found: &Versioned<AppCredential>| context.sees_credential(&found.row);
    found.filter(seen).ok_or_else(|| {
        let shown: String = client_id.chars().take(80).collect();
        let message = format!("no credential has the client id {shown:?}");
        Error::new(ErrorKind::NotFound, message)
    })
}

/// An event that tells owners which scopes of [`CONTROL`] a credential has gained.
fn elevated(row: &AppCredential, before: &Scopes) -> Option<NewEvent> {
    let after = row.scopes();
    let gained = CONTROL.iter();
    let gained = gained.filter(|name| after.opens(**name) && !before.opens(**name));
    let gained: Vec<&str> = gained.map(|name| name.name()).collect();
    (!gained.is_empty()).then(|| row.event("access.elevated").with("scopes", gained))
}

/// Means all connections.
const EVERY: &str = "*";

/// Connections by name, which the caller has to be able to see. `*` means all.
async fn read_connections(context: &Context, names: &[String]) -> Result<Connections> {
    if names.is_empty() {
        let message = "give at least one connection, or \"*\" for all connections";
        return Err(Error::invalid_at("/connections", message));
    }
    if names.iter().all(|name| name == EVERY) {
        let own = context.caller.connections();
        return own.are_all().then_some(Connections::ALL).ok_or_else(|| {
            Error::new(
                ErrorKind::InsufficientScope,
                "your credential is limited to some connections, so it can't give access to others",
            )
        });
    }
    let mut found = Vec::new();
    for name in names {
        found.push(context.connection_row(name).await?.row.name);
    }
    Ok(Connections::only(found))
}

/// The policy with this name. `None` for an empty name. A caller with a policy can't choose a different one.
async fn read_policy(context: &Context, name: Option<&str>) -> Result<Option<Versioned<Policy>>> {
    let own = context.caller.policies().into_iter().flatten().next();
    let name = match (own, name) {
        (Some(own), Some(name)) if own != name => {
            return Err(Error::new(
                ErrorKind::InsufficientScope,
                format!(
                    "your credential has the policy {own}, so it can't create credentials with a different policy"
                ),
            ));
        }
        (Some(own), _) => Some(own),
        (None, name) => name.filter(|name| !name.is_empty()),
    };
    match name {
        Some(name) => Ok(Some(context.existing_policy(name).await?)),
        None => Ok(None),
    }
}

fn check_name(name: &str) -> Result<()> {
    if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
        return Err(Error::invalid_at(
            "/name",
            "a name has 1 to 100 characters and no control characters",
        ));
    }
    Ok(())
}

/// The limit of requests per minute. `None` means no limit.
fn read_rate(rate: Option<u32>) -> Result<Option<u32>> {
    let rate = rate.filter(|rate| *rate > 0);
    if rate.is_some_and(|rate| rate > MOST_PER_MINUTE) {
        let message = format!("expected a number from 1 to {MOST_PER_MINUTE}, or 0 for no limit");
        return Err(Error::invalid_at("/rate_per_minute", message));
    }
    Ok(rate)
}

/// Scopes by their words: known ones, of products that there are.
fn read_scopes(context: &Context, words: &[String]) -> Result<Scopes> {
    if words.is_empty() {
        return Err(Error::invalid_at("/scopes", "give at least one scope"));
    }
    let scopes = Scopes::parse(words.iter().map(String::as_str))?;
    for (index, word) in words.iter().enumerate() {
        let one = Scopes::parse([word.as_str()])?;
        let product = one.iter().find_map(|scope| scope.product.as_deref());
        if let Some(Err(error)) = product.map(|product| context.products.endpoints(product)) {
            let place = format!("/scopes/{index}");
            let violation = Violation::new(place, "enum", error.message());
            return Err(Error::invalid(vec![violation]));
        }
    }
    Ok(scopes)
}

/// A new secret, and its stored form.
fn new_secret(context: &Context) -> (SecretString, AppSecret) {
    let secret = context.host.new_checked_secret("stead_secret_");
    let kept = AppSecret::new(secret.expose_secret(), context.host.now());
    (secret, kept)
}
