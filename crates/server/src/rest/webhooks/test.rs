//! `POST /v1/webhooks/{webhook_id}/test`: sends a test event now; responds with what the endpoint said.

use stead::core::resource::WebhookDelivery;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn test(
    Acting(environment): Acting,
    Path(id): Path<String>,
) -> Result<Json<WebhookDelivery>> {
    Ok(Json(environment.test_webhook(&id).await?))
}
