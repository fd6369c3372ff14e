//! `DELETE /v1/webhooks/{webhook_id}`: with its deliveries.

use http::StatusCode;

use crate::{
    extract::{Acting, Path},
    problem::Result,
};

pub(in crate::rest) async fn delete(
    Acting(environment): Acting,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    environment.delete_webhook(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}
