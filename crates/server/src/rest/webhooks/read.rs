//! `GET /v1/webhooks/{webhook_id}`.

use stead::core::resource::Webhook;

use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn read(
    Acting(environment): Acting,
    Path(id): Path<String>,
) -> Result<Json<Webhook>> {
    Ok(Json(environment.webhook(&id).await?))
}
