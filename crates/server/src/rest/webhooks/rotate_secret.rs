//! `POST /v1/webhooks/{webhook_id}/rotate-secret`: a new secret, next to which the one before signs for 24 hours.

use super::Shown;
use crate::{
    extract::{Acting, Json, Path},
    problem::Result,
};

pub(in crate::rest) async fn rotate_secret(
    Acting(environment): Acting,
    Path(id): Path<String>,
) -> Result<Json<Shown>> {
    Ok(Json(environment.rotate_webhook_secret(&id).await?.into()))
}
