//! `GET` and `POST /dashboard/settings/members/{member_id}/reset`: another link that sets a password.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead_core::resource::{MemberReset, ReadMember, ResetMember};

use super::{
    super::{refused::refused, sections::render},
    show_link,
};
use crate::{
    dashboard::{form::Form, page::Page},
    extract::{Path, Query},
    problem::Result,
};

const TEMPLATE: &str = "settings/members/reset.html";

pub(super) async fn show(page: Page, Path(id): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let member = page.environment.send(ReadMember::new(&id)).await?;
    Ok(render(&page, TEMPLATE, context! { of => Serde(member) }))
}

pub(super) async fn submit(page: Page, Path(id): Path<String>, form: Form) -> Result<Response> {
    let found = page.environment.send(ReadMember::new(&id)).await?;
    let how = MemberReset::default().second_factor(form.text("second_factor").is_some());
    match page.environment.send(ResetMember::new(&id, how)).await {
        Ok(issued) => Ok(show_link(&page, &issued, found.last_sign_in_at.is_none())),
        Err(error) => refused(&page, error, TEMPLATE, context! { of => Serde(found) }),
    }
}
