//! `GET` and `POST /dashboard/settings/webhooks/{webhook_id}/delete`.
use stead_core::resource::{DeleteWebhook, ReadWebhook};

use axum::response::Response;

use super::{super::question::Question, LIST, path};
use crate::{
    dashboard::{done::Done, page::Page},
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn show(page: Page, Path(id): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let webhook = page.environment.send(ReadWebhook::new(&id)).await?;
    let question = Question {
        title: format!("Delete the webhook to {}?", webhook.url),
        consequences: &[
            "Stead stops sending events there and drops pending deliveries.",
            "To stop it for a while, pause it instead.",
            "You can’t undo this.",
        ],
        text: "Delete webhook",
        back: path(&id),
    };
    Ok(question.ask(&page))
}

pub(super) async fn submit(page: Page, Path(id): Path<String>) -> Result<Response> {
    page.environment.send(DeleteWebhook::new(&id)).await?;
    Ok(page.redirect_done(LIST, Done::WebhookDeleted))
}
