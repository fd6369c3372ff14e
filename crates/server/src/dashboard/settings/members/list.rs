//! `GET /dashboard/settings/members?page_token=`.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead_core::{api::Paging, resource::ListMembers};

use super::super::sections::render;
use crate::{dashboard::page::Page, extract::Query, problem::Result};

pub(super) async fn list(page: Page, mut query: Query) -> Result<Response> {
    let paging = query.paging()?;
    query.end()?;
    let found = page
        .environment
        .send(ListMembers::new().page(Paging::new(paging.token.as_deref(), paging.size.min(50))))
        .await?;
    let context = context! {
        members => Serde(found.items),
        page_token => paging.token,
        next_page_token => found.next_page_token,
    };
    Ok(render(&page, "settings/members/list.html", context))
}
