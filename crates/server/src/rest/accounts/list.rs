//! `GET /v1/accounts?connection_name=&product=&identifier=&identifier_prefix=&state=&page_token=&page_size=`.

use stead::core::resource::{Account, AccountFilter, AccountState, Page};

use crate::{
    extract::{Acting, Json, Query},
    openapi::{Parameter, one_of, text},
    problem::Result,
};

pub(in crate::rest) const QUERY: &[Parameter] = &[
    text("connection_name", "Only accounts of this connection."),
    text("product", "Only accounts of this product."),
    text("identifier", "Only accounts of this user."),
    text(
        "identifier_prefix",
        "Only users whose identifier starts with this text, ordered by connection and identifier.",
    ),
    one_of("state", "Only accounts in this state.", || {
        AccountState::ALL.map(AccountState::name).to_vec()
    }),
];

pub(in crate::rest) async fn list(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<Page<Account>>> {
    let mut filter = AccountFilter::default();
    filter.connection_name = query.text("connection_name")?;
    filter.product = query.text("product")?;
    filter.identifier = query.text("identifier")?;
    filter.identifier_prefix = query.text("identifier_prefix")?;
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
