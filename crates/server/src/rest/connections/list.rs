//! `GET /v1/connections?page_token=&page_size=`.

use axum::extract::State;
use stead::core::{
    environment::Environment,
    resource::{Connection, Page},
};

use crate::{
    extract::{Json, Query},
    problem::Result,
};

pub(in crate::rest) async fn list(
    State(environment): State<Environment>,
    mut query: Query,
) -> Result<Json<Page<Connection>>> {
    let page = query.paging()?;
    query.end()?;
    let connections = environment
        .connections(page.token.as_deref(), page.size)
        .await?;
    Ok(Json(connections))
}
