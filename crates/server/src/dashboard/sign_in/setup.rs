//! `GET` and `POST /dashboard/setup?token=`: the first owner, with the link that the service printed.

use axum::response::Response;
use minijinja::context;
use stead::{Error, ErrorKind};
use stead_core::error::ActBy;

use super::{enter::go_on, refused};
use crate::{
    dashboard::{form::Form, page::Page},
    extract::Query,
    problem::Result,
};

const TEMPLATE: &str = "sign_in/setup.html";

pub(super) async fn show(page: Page, mut query: Query) -> Result<Response> {
    let token = query.text("token")?.unwrap_or_default();
    if page.environment.is_setup(&token).await? {
        return Ok(page.render(TEMPLATE, context! { token }));
    }
    let message = "the link was used, has expired or was replaced at a later start; restart the service to get a new one, or run `stead members invite EMAIL --role owner`";
    // Only the person who starts the service can get another link.
    Err(Error::new(ErrorKind::NotFound, message)
        .with_act_by(ActBy::Operator)
        .into())
}

pub(super) async fn submit(page: Page, form: Form) -> Result<Response> {
    let field = |name| form.text(name).unwrap_or_default();
    let (token, email, name) = (field("token"), field("email"), field("name"));
    let made = page
        .environment
        .set_up(token, email, name, form.secret("password"))
        .await;
    match made {
        Ok(started) => Ok(go_on(&page, &started, "/dashboard").await),
        Err(error) => refused(&page, error, TEMPLATE, context! { token, email, name }),
    }
}
