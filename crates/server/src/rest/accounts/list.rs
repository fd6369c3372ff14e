//! `GET /v1/accounts?connection_name=&page_token=&page_size=`.

use axum::extract::State;
use stead::core::{
    environment::Environment,
    resource::{Account, Page},
};

use crate::{
    extract::{Json, Query},
    problem::Result,
};

pub(in crate::rest) async fn list(
    State(environment): State<Environment>,
    mut query: Query,
) -> Result<Json<Page<Account>>> {
    let connection_name = query.text("connection_name")?;
    let page = query.paging()?;
    query.end()?;
    let accounts = environment
        .accounts(connection_name.as_deref(), page.token.as_deref(), page.size)
        .await?;
    Ok(Json(accounts))
}
