//! `GET /v1/account-tokens?connection_name=&identifier=&page_token=&page_size=`: those of one account.

use stead::core::resource::{AccountToken, Page};

use crate::{
    extract::{Acting, Json, Query, invalid},
    openapi::{Parameter, text},
    problem::Result,
};

pub(in crate::rest) const QUERY: &[Parameter] = &[
    text("connection_name", "The account's connection.").required(),
    text("identifier", "The account's user.").required(),
];

pub(in crate::rest) async fn list(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<Page<AccountToken>>> {
    let mut needed = |name: &'static str| {
        let missing = || invalid(format!("/{name}"), "required", "which account you mean");
        query.text(name)?.ok_or_else(missing)
    };
    let connection_name = needed("connection_name")?;
    let identifier = needed("identifier")?;
    let page = query.paging()?;
    query.end()?;
    let tokens = environment.account_tokens(
        &connection_name,
        &identifier,
        page.token.as_deref(),
        page.size,
    );
    Ok(Json(tokens.await?))
}
