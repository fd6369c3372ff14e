//! `GET` and `POST /dashboard/invitation?token=`: sets the password of a member after an invitation or a reset.

use axum::response::Response;
use minijinja::context;

use super::{
    enter::{go_on, with_provider},
    refused,
};
use crate::{
    dashboard::{form::Form, page::Page},
    extract::Query,
    problem::Result,
};

const TEMPLATE: &str = "sign_in/invitation.html";

pub(super) async fn show(page: Page, mut query: Query) -> Result<Response> {
    let token = query.text("token")?.unwrap_or_default();
    let member = page.environment.invited_member(&token).await?;
    let context = context! {
        token,
        email => member.email,
        name => member.name,
        ..with_provider(&page, "/dashboard")
    };
    Ok(page.render(TEMPLATE, context))
}

pub(super) async fn submit(page: Page, form: Form) -> Result<Response> {
    let token = form.text("token").unwrap_or_default();
    let name = form.text("name").map(str::to_owned);
    let member = page.environment.invited_member(token).await?;
    let accepted = page
        .environment
        .accept_invitation(token, name.clone(), form.secret("password"))
        .await;
    match accepted {
        Ok(started) => Ok(go_on(&page, &started, "/dashboard").await),
        Err(error) => {
            let context = context! {
                token,
                email => member.email,
                name,
                ..with_provider(&page, "/dashboard")
            };
            refused(&page, error, TEMPLATE, context)
        }
    }
}
