//! `POST /dashboard/settings/webhooks/{webhook_id}/test`.

use axum::response::Response;

use super::path;
use crate::{
    dashboard::{done::Done, page::Page},
    extract::Path,
    problem::Result,
};

pub(super) async fn submit(page: Page, Path(id): Path<String>) -> Result<Response> {
    page.environment.test_webhook(&id).await?;
    Ok(page.redirect_done(&path(&id), Done::WebhookTested))
}
