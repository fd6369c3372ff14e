//! `GET` and `POST /dashboard/settings/webhooks/{webhook_id}/delete`.

use axum::response::Response;

use super::{super::question::Question, LIST, path};
use crate::{
    dashboard::{done::Done, page::Page},
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn show(page: Page, Path(id): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let webhook = page.environment.webhook(&id).await?;
    let question = Question {
        title: format!("Delete the webhook to {}?", webhook.url),
        consequences: &[
            "Nothing is sent there any more, and what waits for it is dropped.",
            "To stop it for a while, pause it instead.",
            "This cannot be undone.",
        ],
        text: "Delete the webhook",
        back: path(&id),
    };
    Ok(question.ask(&page))
}

pub(super) async fn submit(page: Page, Path(id): Path<String>) -> Result<Response> {
    page.environment.delete_webhook(&id).await?;
    Ok(page.redirect_done(LIST, Done::WebhookDeleted))
}
