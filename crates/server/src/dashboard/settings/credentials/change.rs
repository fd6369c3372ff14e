//! `GET` and `POST /dashboard/settings/credentials/{client_id}/change`.

use axum::response::Response;
use minijinja::{Value, context, value::Serde};
use stead::Error;
use stead_core::resource::{
    AppCredential, AppCredentialChange, ChangeAppCredential, ReadAppCredential,
};

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

const TEMPLATE: &str = "settings/credentials/change.html";

pub(super) async fn show(page: Page, Path(id): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let credential = page.environment.send(ReadAppCredential::new(&id)).await?;
    let context = context(&page, &credential, &Given::of(&credential)).await?;
    Ok(render(&page, TEMPLATE, context))
}

pub(super) async fn submit(page: Page, Path(id): Path<String>, form: Form) -> Result<Response> {
    let credential = page.environment.send(ReadAppCredential::new(&id)).await?;
    let given = Given::read(&form);
    match change(&page, &id, &given).await {
        Ok(_) => Ok(page.redirect_done(&path(&id), Done::CredentialChanged)),
        Err(error) => {
            let context = context(&page, &credential, &given).await?;
            refused(&page, error, TEMPLATE, context)
        }
    }
}

async fn change(page: &Page, id: &str, given: &Given) -> Result<AppCredential, Error> {
    let change = AppCredentialChange::default()
        .name(&given.name)
        .scopes(&given.scopes)
        .rate_per_minute(given.rate_per_minute()?.unwrap_or_default());
    let change = match given.connections.is_empty() {
        true => change.connections(["*"]),
        false => change.connections(&given.connections),
    };
    let change = change.policy(&given.policy);
    page.environment
        .send(ChangeAppCredential::new(id, change))
        .await
}

async fn context(page: &Page, credential: &AppCredential, given: &Given) -> Result<Value, Error> {
    let fields = given.context(&page.environment).await?;
    Ok(context! { credential => Serde(credential), ..fields })
}
