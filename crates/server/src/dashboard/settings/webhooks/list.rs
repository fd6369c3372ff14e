//! `GET /dashboard/settings/webhooks`.
use stead_core::api::Paging;
use stead_core::resource::ListWebhooks;

use axum::response::Response;
use minijinja::{context, value::Serde};

use super::super::sections::render;
use crate::{dashboard::page::Page, extract::Query, problem::Result};

pub(super) async fn list(page: Page, mut query: Query) -> Result<Response> {
    let paging = query.paging()?;
    query.end()?;
    // An environment has 50 at most.
    let found = page
        .environment
        .send(ListWebhooks::new().page(Paging::new(paging.token.as_deref(), paging.size.min(50))))
        .await?;
    let context = context! {
        webhooks => Serde(found.items),
        page_token => paging.token,
        next_page_token => found.next_page_token,
    };
    Ok(render(&page, "settings/webhooks/list.html", context))
}
