//! `GET /dashboard/accounts/{connection_name}/{identifier}`.

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde::Serialize;
use stead_core::{
    product::Product,
    resource::{Account, AccountState, ReadAccount, ReadConnection},
};

use super::{
    need::need,
    path,
    timeline::{Place, timeline},
};
use crate::{
    dashboard::page::Page,
    extract::{Path, Query},
    problem::Result,
};

/// A permission, with the product's description if there is one.
#[derive(Debug, Serialize)]
struct Permission {
    text: Option<String>,
    scope: String,
}

pub(super) async fn read(
    page: Page,
    Path((connection_name, identifier)): Path<(String, String)>,
    mut query: Query,
) -> Result<Response> {
    let place = Place::read(&mut query)?;
    query.end()?;
    let environment = &page.environment;
    let account = environment
        .send(ReadAccount::new(&connection_name, &identifier))
        .await?;
    let connection = environment
        .send(ReadConnection::new(&connection_name))
        .await?;
    let timeline = timeline(environment, &account, &place).await?;
    let product = environment.catalogue().product(&account.product);
    let permissions = |scopes: &[String]| -> Vec<Permission> {
        scopes
            .iter()
            .map(|scope| Permission {
                text: product.and_then(|product| product.describe_scope(scope, "en")),
                scope: scope.clone(),
            })
            .collect()
    };
    let now = environment.runtime().now();
    let has_token = account.state == AccountState::Active
        || (account.state == AccountState::Suspended && account.token_expires_at.is_some());
    let context = context! {
        to => path(&connection_name, &identifier),
        title => product.map_or(account.product.as_str(), |product| product.title),
        need => Serde(need(&account, Some(&connection))),
        granted => Serde(permissions(&account.granted_scopes)),
        missing => Serde(permissions(&account.missing_scopes)),
        has_token,
        token_has_ended => account.token_expires_at.is_some_and(|end| end <= now),
        has_no_refresh_token => account.reauthorize_by.is_some()
            && account.reauthorize_by == account.token_expires_at,
        can => Serde(Can::of(&account, product)),
        first => place.is_first(),
        timeline => Serde(timeline),
        account => Serde(account),
    };
    Ok(page.render("accounts/read.html", context))
}

/// The actions that the state of an account allows.
#[derive(Debug, Serialize)]
struct Can {
    link: bool,
    refresh: bool,
    suspend: bool,
    resume: bool,
    disconnect: bool,
}

impl Can {
    fn of(account: &Account, product: Option<&Product>) -> Self {
        let state = account.state;
        let ended = state == AccountState::Disconnected;
        Self {
            link: state != AccountState::Suspended,
            // Stead never refreshes a token that doesn't expire.
            refresh: state == AccountState::Active
                && product.is_some()
                && account.token_expires_at.is_some(),
            suspend: !ended && state != AccountState::Suspended,
            resume: state == AccountState::Suspended,
            disconnect: !ended,
        }
    }
}
