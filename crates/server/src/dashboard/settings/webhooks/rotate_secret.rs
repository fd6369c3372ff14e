//! `GET` and `POST /dashboard/settings/webhooks/{webhook_id}/rotate-secret`.
use stead_core::resource::{ReadWebhook, RotateWebhookSecret};

use axum::response::Response;

use super::{super::question::Question, path, show_secret};
use crate::{
    dashboard::page::Page,
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn show(page: Page, Path(id): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    page.environment.send(ReadWebhook::new(&id)).await?;
    let question = Question {
        title: String::from("Rotate the webhook’s secret?"),
        consequences: &[
            "Stead creates a new secret and shows it once on the next page.",
            "Both secrets sign events for 24 hours. Update your application within that time.",
            "If you rotated it before, that older secret stops working now.",
        ],
        text: "Rotate secret",
        back: path(&id),
    };
    Ok(question.ask(&page))
}

pub(super) async fn submit(page: Page, Path(id): Path<String>) -> Result<Response> {
    let made = page.environment.send(RotateWebhookSecret::new(&id)).await?;
    Ok(show_secret(&page, &made, false))
}
