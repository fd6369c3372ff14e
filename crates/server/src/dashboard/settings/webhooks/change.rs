//! `GET` and `POST /dashboard/settings/webhooks/{webhook_id}/change`.
use stead_core::resource::{ChangeWebhook, ReadWebhook};

use axum::response::Response;
use minijinja::{Value, context, value::Serde};
use stead_core::resource::{Webhook, WebhookChange};

use super::{
    super::{refused::refused, sections::render},
    given::Given,
    path,
};
use crate::{
    dashboard::{done::Done, form::Form, page::Page},
    extract::{Path, Query},
    problem::Result,
};

const TEMPLATE: &str = "settings/webhooks/change.html";

pub(super) async fn show(page: Page, Path(id): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let webhook = page.environment.send(ReadWebhook::new(&id)).await?;
    Ok(render(
        &page,
        TEMPLATE,
        context(&webhook, &Given::of(&webhook)),
    ))
}

pub(super) async fn submit(page: Page, Path(id): Path<String>, form: Form) -> Result<Response> {
    let webhook = page.environment.send(ReadWebhook::new(&id)).await?;
    let given = Given::read(&form);
    let mut change = WebhookChange::default();
    change.url = Some(given.url.clone());
    change.events = Some(given.events());
    change.description = Some(given.description.clone());
    match page.environment.send(ChangeWebhook::new(&id, change)).await {
        Ok(_) => Ok(page.redirect_done(&path(&id), Done::WebhookChanged)),
        Err(error) => refused(&page, error, TEMPLATE, context(&webhook, &given)),
    }
}

fn context(webhook: &Webhook, given: &Given) -> Value {
    context! { webhook => Serde(webhook), ..given.context() }
}
