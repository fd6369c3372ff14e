//! `GET /v1/connections?page_token=&page_size=`.

use stead::core::resource::{Connection, Page};

use crate::{
    extract::{Acting, Json, Query},
    problem::Result,
};

pub(in crate::rest) async fn list(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<Page<Connection>>> {
    let page = query.paging()?;
    query.end()?;
    let connections = environment
        .connections(page.token.as_deref(), page.size)
        .await?;
    Ok(Json(connections))
}
