//! `POST /dashboard/settings/webhooks/{webhook_id}/test`.
use stead_core::resource::TestWebhook;

use axum::response::Response;

use super::path;
use crate::{
    dashboard::{done::Done, page::Page},
    extract::Path,
    problem::Result,
};

pub(super) async fn submit(page: Page, Path(id): Path<String>) -> Result<Response> {
    page.environment.send(TestWebhook::new(&id)).await?;
    Ok(page.redirect_done(&path(&id), Done::WebhookTested))
}
