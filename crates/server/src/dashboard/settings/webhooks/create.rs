//! `GET /dashboard/settings/webhooks/new` and `POST /dashboard/settings/webhooks`.

use axum::response::Response;
use stead_core::resource::NewWebhook;

use super::{
    super::{refused::refused, sections::render},
    given::Given,
    show_secret,
};
use crate::{
    dashboard::{form::Form, page::Page},
    extract::Query,
    problem::Result,
};

const TEMPLATE: &str = "settings/webhooks/create.html";

pub(super) async fn show(page: Page, query: Query) -> Result<Response> {
    query.end()?;
    Ok(render(&page, TEMPLATE, Given::default().context()))
}

pub(super) async fn submit(page: Page, form: Form) -> Result<Response> {
    let given = Given::read(&form);
    let mut new = NewWebhook::new(&given.url).events(given.events());
    new.description = Some(given.description.clone()).filter(|text| !text.is_empty());
    match page.environment.send(new).await {
        Ok(made) => Ok(show_secret(&page, &made, true)),
        Err(error) => refused(&page, error, TEMPLATE, given.context()),
    }
}
