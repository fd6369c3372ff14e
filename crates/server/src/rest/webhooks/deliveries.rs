//! `GET /v1/webhooks/{webhook_id}/deliveries?page_token=&page_size=`: the youngest event first.

use stead::core::resource::{Page, WebhookDelivery};

use crate::{
    extract::{Acting, Json, Path, Query},
    problem::Result,
};

pub(in crate::rest) async fn deliveries(
    Acting(environment): Acting,
    Path(id): Path<String>,
    mut query: Query,
) -> Result<Json<Page<WebhookDelivery>>> {
    let page = query.paging()?;
    query.end()?;
    let deliveries = environment.webhook_deliveries(&id, page.token.as_deref(), page.size);
    Ok(Json(deliveries.await?))
}
