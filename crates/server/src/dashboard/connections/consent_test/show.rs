//! `GET /dashboard/connections/{connection_name}/test?authorization_id=&state=`: the progress of the test.

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde::Serialize;
use serde_json::Value;
use stead::{Error, ErrorKind};
use stead_core::{
    product::{LANGUAGES, TestCall},
    resource::{
        Account, AccountState, Authorization, AuthorizationState, ConnectionHealth,
        ConnectionState, Execution, ReadAccount, ReadAuthorization, ReadConnection,
    },
};

use super::{causes::cause, identifier};
use crate::{
    dashboard::{connections::read::product_of, page::Page, session::SignedIn, words},
    extract::{Path, Query},
    problem::Result,
};

/// The most characters of a result to show.
const TEXT: usize = 2_000;

/// The outcome of the call.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) outcome: Result<Execution, Error>,
    pub(super) micros: u64,
}

/// The same for people.
#[derive(Debug, Serialize)]
struct Shown {
    is_good: bool,
    micros: u64,
    /// The result of a successful call.
    text: Option<String>,
    kind: Option<&'static str>,
    summary: Option<&'static str>,
    message: Option<String>,
    act_by: Option<&'static str>,
    /// The product's message.
    said: Option<String>,
}

pub(super) async fn show(
    page: Page,
    member: SignedIn,
    Path(name): Path<String>,
    mut query: Query,
) -> Result<Response> {
    let authorization_id = query.text("authorization_id")?;
    query.end()?;
    with(&page, &member, &name, authorization_id.as_deref(), None).await
}

/// The page, with the outcome of a call that was just made.
pub(super) async fn with(
    page: &Page,
    member: &SignedIn,
    name: &str,
    authorization_id: Option<&str>,
    ran: Option<Ran>,
) -> Result<Response> {
    let environment = &page.environment;
    let connection = environment.send(ReadConnection::new(name)).await?;
    let product = product_of(environment, &connection)?;
    let identifier = identifier(member);
    let account = match environment.send(ReadAccount::new(name, &identifier)).await {
        Ok(account) => Some(account),
        Err(error) if error.kind() == ErrorKind::AccountNotFound => None,
        Err(error) => return Err(error.into()),
    };
    let authorization = match authorization_id {
        Some(id) => authorization(page, name, &identifier, id).await?,
        None => None,
    };
    let consent = consent(authorization.as_ref(), account.as_ref());
    let ended = authorization.as_ref().filter(|_| consent == "failed");
    let granted = account
        .as_ref()
        .map(|account| account.granted_scopes.as_slice());
    let call = product.test_call(granted.unwrap_or_default());
    let missing = account
        .as_ref()
        .filter(|_| consent == "done")
        .map(|account| product.describe_scopes(&account.missing_scopes, LANGUAGES[0]));
    let missing = missing.unwrap_or_default().into_iter();
    let context = context! {
        title => product.title,
        client_is_ready => connection.state == ConnectionState::Ready && connection.health == ConnectionHealth::ClientOk,
        consent => consent,
        user => account.as_ref().and_then(|account| account.product_user.as_deref()),
        missing => missing.map(|line| line.text).collect::<Vec<_>>(),
        cause => Serde(ended.map(|ended| cause(ended.state, ended.reason.as_deref().unwrap_or_default()))),
        reason => ended.and_then(|ended| ended.reason.as_deref()),
        said => ended.and_then(|ended| ended.product_message.as_deref()),
        // Only a pending confirmation needs the ID.
        authorization_id => (consent == "back").then_some(authorization_id),
        call => call.map(|call| context! { tool => call.tool, about => call.about }),
        ran => Serde(ran.map(|ran| shown(ran, call))),
        is_connected => account.as_ref().is_some_and(|account| account.state != AccountState::Disconnected && account.state != AccountState::PendingAuthorization),
        // The grant isn't revoked together with the account.
        stays_there => product.oauth.revoke.is_none() || product.oauth.revocation_ends_grant,
        identifier => identifier.as_str(),
        connection => Serde(&connection),
    };
    Ok(page.render("connections/consent_test.html", context))
}

/// The authorization of this test. Ignores one of another user.
async fn authorization(
    page: &Page,
    name: &str,
    identifier: &str,
    id: &str,
) -> Result<Option<Authorization>> {
    match page.environment.send(ReadAuthorization::new(id)).await {
        Ok(found) => {
            let is_own = found.identifier.as_str() == identifier;
            Ok(Some(found).filter(|found| is_own && found.connection_name.as_str() == name))
        }
        Err(error) if error.kind() == ErrorKind::AuthorizationNotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The state of the consent: `open`, `back` (needs confirmation), `done` or `failed`.
fn consent(authorization: Option<&Authorization>, account: Option<&Account>) -> &'static str {
    use AuthorizationState::{Completed, Denied, Expired, Failed, Superseded, Verifying};
    let is_active = account.is_some_and(|account| account.state == AccountState::Active);
    match authorization.map(|authorization| authorization.state) {
        Some(Verifying) => "back",
        Some(Denied | Expired | Failed | Superseded) => "failed",
        Some(Completed) | None if is_active => "done",
        _ => "open",
    }
}

fn shown(ran: Ran, call: Option<&TestCall>) -> Shown {
    let finds_nothing = call.is_some_and(|call| call.finds_nothing);
    let (text, error) = match ran.outcome {
        Ok(execution) => (Some(pretty(execution.data.get())), None),
        Err(error) => (None, Some(error)),
    };
    let is_expected = error
        .as_ref()
        .is_some_and(|error| finds_nothing && error.kind() == ErrorKind::ProductNotFound);
    let upstream = error.as_ref().and_then(|error| error.upstream());
    Shown {
        is_good: text.is_some() || is_expected,
        micros: ran.micros,
        text,
        said: upstream.map(|upstream| {
            let message = upstream.message.as_deref().unwrap_or_default();
            format!("{} {message}", upstream.status)
        }),
        kind: error.as_ref().map(|error| error.kind().name()),
        summary: error.as_ref().map(|error| error.kind().summary()),
        message: error.as_ref().map(|error| error.message().to_owned()),
        act_by: error.as_ref().map(|error| words::act_by(error.act_by())),
    }
}

/// A result as indented JSON, possibly truncated.
fn pretty(data: &str) -> String {
    let value: Value = serde_json::from_str(data).unwrap_or_default();
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
