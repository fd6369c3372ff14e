//! `GET` and `POST /dashboard/accounts/{connection_name}/{identifier}/erase`: deletes an account and the user's ID
//! permanently.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead_core::resource::{DisconnectAccount, Disconnection, ReadAccount};

use super::path;
use crate::{
    dashboard::{done::Done, form::Form, page::Page},
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn show(
    page: Page,
    Path((connection_name, identifier)): Path<(String, String)>,
    query: Query,
) -> Result<Response> {
    query.end()?;
    let environment = &page.environment;
    let account = environment
        .send(ReadAccount::new(&connection_name, &identifier))
        .await?;
    let to = path(&connection_name, &identifier);
    let context = context! { to, account => Serde(account) };
    Ok(page.render("accounts/erase.html", context))
}

pub(super) async fn submit(
    page: Page,
    Path((connection_name, identifier)): Path<(String, String)>,
    _: Form,
) -> Result<Response> {
    let how = Disconnection::new().erase(true);
    page.environment
        .send(DisconnectAccount::new(&connection_name, &identifier).how(how))
        .await?;
    Ok(page.redirect_done("/dashboard/accounts", Done::UserErased))
}
