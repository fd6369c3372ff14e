//! `GET /dashboard/settings/credentials/new` and `POST /dashboard/settings/credentials`.

use axum::response::Response;
use stead::Error;
use stead_core::resource::{IssuedAppSecret, NewAppCredential};

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

const TEMPLATE: &str = "settings/credentials/create.html";

pub(super) async fn show(page: Page, query: Query) -> Result<Response> {
    query.end()?;
    let context = Given::usual().context(&page.environment).await?;
    Ok(render(&page, TEMPLATE, context))
}

pub(super) async fn submit(page: Page, form: Form) -> Result<Response> {
    let given = Given::read(&form);
    match create(&page, &given).await {
        Ok(issued) => Ok(show_secret(&page, &issued, true)),
        Err(error) => {
            let context = given.context(&page.environment).await?;
            refused(&page, error, TEMPLATE, context)
        }
    }
}

async fn create(page: &Page, given: &Given) -> Result<IssuedAppSecret, Error> {
    let mut new = NewAppCredential::new(&given.name).scopes(&given.scopes);
    new.rate_per_minute = given.rate_per_minute()?;
    new.expires_in = given.expires_in()?;
    new.connections = Some(given.connections.clone()).filter(|names| !names.is_empty());
    new.policy = Some(given.policy.clone()).filter(|name| !name.is_empty());
    page.environment.send(new).await
}
