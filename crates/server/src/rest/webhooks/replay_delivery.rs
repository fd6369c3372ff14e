//! `POST /v1/webhooks/{webhook_id}/deliveries/{event_id}/replay`: sends the event once more.

use stead::core::resource::WebhookDelivery;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn replay_delivery(
    Acting(environment): Acting,
    Path((id, event_id)): Path<(String, String)>,
) -> Result<Json<WebhookDelivery>> {
    let delivery = environment.replay_webhook_delivery(&id, &event_id);
    Ok(Json(delivery.await?))
}
