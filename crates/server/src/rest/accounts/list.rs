//! `GET /v1/accounts?connection_name=&product=&identifier=&state=&page_token=&page_size=`.

use axum::extract::State;
use stead::core::{
    environment::Environment,
    resource::{Account, AccountFilter, AccountState, Page},
};

use crate::{
    extract::{Json, Query},
    problem::Result,
};

pub(in crate::rest) async fn list(
    State(environment): State<Environment>,
    mut query: Query,
) -> Result<Json<Page<Account>>> {
    let mut filter = AccountFilter::default();
    filter.connection_name = query.text("connection_name")?;
    filter.product = query.text("product")?;
    filter.identifier = query.text("identifier")?;
    filter.state = query.one_of(
        "state",
        &AccountState::ALL.map(|state| (state.name(), state)),
    )?;
    let page = query.paging()?;
    query.end()?;
    let accounts = environment
        .accounts(&filter, page.token.as_deref(), page.size)
        .await?;
    Ok(Json(accounts))
}
