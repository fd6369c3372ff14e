//! `POST /v1/webhooks/{webhook_id}/replay`: sends all events since a time once more.

use stead::core::resource::{Webhook, WebhookReplay};

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn replay(
    Acting(environment): Acting,
    Path(id): Path<String>,
    Json(replay): Json<WebhookReplay>,
) -> Result<Json<Webhook>> {
    Ok(Json(environment.replay_webhook(&id, &replay).await?))
}
