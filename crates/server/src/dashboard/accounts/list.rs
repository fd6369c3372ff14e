//! `GET /dashboard/accounts?connection_name=&product=&identifier=&state=&page_token=`: `identifier` is a prefix.

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde::Serialize;
use stead::Error;
use stead_core::{
    api::Paging,
    environment::Environment,
    resource::{
        Account, AccountFilter, AccountState, ListAccounts, ListConnections, Page as Items,
    },
};
use url::form_urlencoded;

use super::{
    need::{Need, need},
    path,
};
use crate::{dashboard::page::Page, extract::Query, problem::Result};

/// Accounts of a page.
const PAGE: u32 = 50;
/// The most accounts to show as needing attention.
const FIRST: usize = 5;
/// The most pages to search for the first match.
const LOOKED_THROUGH: u32 = 10;

#[derive(Debug, Serialize)]
struct Row {
    to: String,
    need: Option<Need>,
    account: Account,
}

impl Row {
    fn of(account: Account) -> Self {
        let to = path(
            account.connection_name.as_str(),
            account.identifier.as_str(),
        );
        // The account's page also considers the connection. Here that would cost another look-up.
        let need = need(&account, None);
        Self { to, need, account }
    }
}

pub(super) async fn list(page: Page, mut query: Query) -> Result<Response> {
    let mut filter = AccountFilter::default();
    filter.connection_name = query.text("connection_name")?;
    filter.product = query.text("product")?;
    let identifier = query.text("identifier")?;
    let identifier = identifier.map(|text| text.trim().to_owned());
    filter.identifier_prefix = identifier.filter(|text| !text.is_empty());
    let states = AccountState::ALL.map(|state| (state.name(), state));
    filter.state = query.one_of("state", &states)?;
    let token = query.text("page_token")?;
    query.end()?;
    let given = [
        ("connection_name", filter.connection_name.as_deref()),
        ("product", filter.product.as_deref()),
        ("identifier", filter.identifier_prefix.as_deref()),
        ("state", filter.state.map(AccountState::name)),
    ];
    let given = given
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    let kept = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(given)
        .finish();
    let environment = &page.environment;
    let found = first_that_fit(environment, &filter, token.as_deref()).await?;
    let waiting = match kept.is_empty() && token.is_none() {
        true => waiting(environment).await?,
        false => Vec::new(),
    };
    let connections = environment
        .send(ListConnections::new().page(Paging::new(None, 100)))
        .await?
        .items;
    let names = connections
        .iter()
        .map(|connection| connection.connection_name.to_string());
    let products = environment.catalogue().products().iter();
    let products: Vec<_> = products
        .map(|product| (product.name, product.title))
        .collect();
    let context = context! {
        rows => Serde(found.items.into_iter().map(Row::of).collect::<Vec<_>>()),
        waiting => Serde(waiting),
        connections => names.collect::<Vec<_>>(),
        products => Serde(products),
        states => AccountState::ALL.map(AccountState::name).to_vec(),
        connection_name => filter.connection_name,
        product_name => filter.product,
        identifier => filter.identifier_prefix,
        chosen => filter.state.map(AccountState::name),
        is_filtered => !kept.is_empty(),
        query => if kept.is_empty() { kept } else { kept + "&" },
        page_token => token,
        next_page_token => found.next_page_token,
    };
    Ok(page.render("accounts/list.html", context))
}

/// A page of matching accounts. Continues with the next pages if the first ones have no match.
async fn first_that_fit(
    environment: &Environment,
    filter: &AccountFilter,
    token: Option<&str>,
) -> Result<Items<Account>, Error> {
    let mut found = environment
        .send(
            ListAccounts::new()
                .filter(filter.clone())
                .page(Paging::new(token, PAGE)),
        )
        .await?;
    for _ in 1..LOOKED_THROUGH {
        if !found.items.is_empty() || found.next_page_token.is_none() {
            break;
        }
        let next = found.next_page_token.as_deref();
        found = environment
            .send(
                ListAccounts::new()
                    .filter(filter.clone())
                    .page(Paging::new(next, PAGE)),
            )
            .await?;
    }
    Ok(found)
}

/// The first accounts that wait for the user or the application.
async fn waiting(environment: &Environment) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for state in [
        AccountState::NeedsReauthorization,
        AccountState::PendingVerification,
    ] {
        let mut filter = AccountFilter::default();
        filter.state = Some(state);
        let found = environment
            .send(
                ListAccounts::new()
                    .filter(filter.clone())
                    .page(Paging::new(None, PAGE)),
            )
            .await?;
        rows.extend(found.items.into_iter().map(Row::of));
    }
    rows.truncate(FIRST);
    Ok(rows)
}
