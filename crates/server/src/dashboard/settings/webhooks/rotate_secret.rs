//! `GET` and `POST /dashboard/settings/webhooks/{webhook_id}/rotate-secret`.

use axum::response::Response;

use super::{super::question::Question, path, show_secret};
use crate::{
    dashboard::page::Page,
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn show(page: Page, Path(id): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    page.environment.webhook(&id).await?;
    let question = Question {
        title: String::from("Rotate the secret of the webhook?"),
        consequences: &[
            "A new secret is made, and shown once on the next page.",
            "For 24 hours both sign what is sent, so that your application can change over at any time in between.",
            "A secret that was rotated before ends now.",
        ],
        text: "Rotate the secret",
        back: path(&id),
    };
    Ok(question.ask(&page))
}

pub(super) async fn submit(page: Page, Path(id): Path<String>) -> Result<Response> {
    let made = page.environment.rotate_webhook_secret(&id).await?;
    Ok(show_secret(&page, &made, false))
}
