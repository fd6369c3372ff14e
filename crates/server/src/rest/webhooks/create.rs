//! `POST /v1/webhooks`: responds 201 with the webhook and its secret, which is shown this once.

use http::StatusCode;
use stead::core::resource::NewWebhook;

use super::Shown;
use crate::{
    extract::{Acting, Json},
    problem::Result,
};

pub(in crate::rest) async fn create(
    Acting(environment): Acting,
    Json(new): Json<NewWebhook>,
) -> Result<(StatusCode, Json<Shown>)> {
    let made = environment.create_webhook(new).await?;
    Ok((StatusCode::CREATED, Json(made.into())))
}
