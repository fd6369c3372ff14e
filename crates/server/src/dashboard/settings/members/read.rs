//! `GET /dashboard/settings/members/{member_id}`.

use axum::response::Response;
use minijinja::{Value, context, value::Serde};
use stead::Error;
use stead_core::resource::ReadMember;

use super::{super::sections::render, ROLES};
use crate::{
    dashboard::{page::Page, session::SignedIn},
    extract::{Path, Query},
    problem::Result,
};

pub(super) const TEMPLATE: &str = "settings/members/read.html";

pub(super) async fn read(
    page: Page,
    member: SignedIn,
    Path(id): Path<String>,
    query: Query,
) -> Result<Response> {
    query.end()?;
    let context = context(&page, &member, &id).await?;
    Ok(render(&page, TEMPLATE, context))
}

pub(super) async fn context(page: &Page, member: &SignedIn, id: &str) -> Result<Value, Error> {
    let found = page.environment.send(ReadMember::new(id)).await?;
    Ok(context! {
        is_self => found.member_id == member.member_id,
        of => Serde(found),
        roles => ROLES,
    })
}
