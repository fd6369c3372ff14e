//! `GET /dashboard/accounts?connection_name=&state=&identifier=&page_token=`.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead::core::resource::{AccountFilter, AccountState};
use url::form_urlencoded;

use crate::{dashboard::page::Page, extract::Query, problem::Result};

pub(super) async fn list(page: Page, mut query: Query) -> Result<Response> {
    let mut filter = AccountFilter::default();
    filter.connection_name = query.text("connection_name")?;
    filter.identifier = query.text("identifier")?;
    let states = AccountState::ALL.map(|state| (state.name(), state));
    filter.state = query.one_of("state", &states)?;
    let paging = query.paging()?;
    query.end()?;
    let given = [
        ("connection_name", filter.connection_name.as_deref()),
        ("identifier", filter.identifier.as_deref()),
        ("state", filter.state.map(AccountState::name)),
    ];
    let given = given
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    let kept = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(given)
        .finish();
    let environment = &page.environment;
    let found = environment
        .accounts(&filter, paging.token.as_deref(), paging.size)
        .await?;
    let connections = environment.connections(None, 100).await?.items;
    let names = connections
        .iter()
        .map(|connection| connection.connection_name.to_string());
    let context = context! {
        accounts => Serde(found.items),
        connections => names.collect::<Vec<_>>(),
        states => AccountState::ALL.map(AccountState::name).to_vec(),
        connection_name => filter.connection_name,
        identifier => filter.identifier,
        chosen => filter.state.map(AccountState::name),
        is_filtered => !kept.is_empty(),
        query => if kept.is_empty() { kept } else { kept + "&" },
        page_token => paging.token,
        next_page_token => found.next_page_token,
    };
    Ok(page.render("accounts/list.html", context))
}
