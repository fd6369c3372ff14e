//! `POST /dashboard/settings/webhooks/{webhook_id}/pause` and `…/resume`.
use stead_core::resource::ChangeWebhook;

use axum::response::Response;
use stead_core::resource::WebhookChange;

use super::path;
use crate::{
    dashboard::{done::Done, page::Page},
    extract::Path,
    problem::Result,
};

pub(super) async fn pause(page: Page, Path(id): Path<String>) -> Result<Response> {
    set(&page, &id, true, Done::WebhookPaused).await
}

pub(super) async fn resume(page: Page, Path(id): Path<String>) -> Result<Response> {
    set(&page, &id, false, Done::WebhookResumed).await
}

async fn set(page: &Page, id: &str, disabled: bool, done: Done) -> Result<Response> {
    let mut change = WebhookChange::default();
    change.disabled = Some(disabled);
    page.environment
        .send(ChangeWebhook::new(id, change))
        .await?;
    Ok(page.redirect_done(&path(id), done))
}
