//! `PATCH /v1/webhooks/{webhook_id}`: members that are absent stay; `{"disabled": false}` goes on after a failure.

use stead::core::resource::{Webhook, WebhookChange};

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn change(
    Acting(environment): Acting,
    Path(id): Path<String>,
    Json(change): Json<WebhookChange>,
) -> Result<Json<Webhook>> {
    Ok(Json(environment.change_webhook(&id, change).await?))
}
