//! `GET /v1/webhooks?page_token=&page_size=`.

use stead::core::resource::{Page, Webhook};

use crate::{
    extract::{Acting, Json, Query},
    problem::Result,
};

pub(in crate::rest) async fn list(
    Acting(environment): Acting,
    mut query: Query,
) -> Result<Json<Page<Webhook>>> {
    let page = query.paging()?;
    query.end()?;
    let webhooks = environment.webhooks(page.token.as_deref(), page.size);
    Ok(Json(webhooks.await?))
}
