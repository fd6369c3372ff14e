//! `GET /dashboard/approvals?page_token=`: calls that wait, or did, the newest first.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead::core::resource::ApprovalFilter;

use super::LIST;
use crate::{dashboard::page::Page, extract::Query, problem::Result};

/// Approvals on one page.
const SIZE: u32 = 50;

pub(super) async fn list(page: Page, mut query: Query) -> Result<Response> {
    let page_token = query.text("page_token")?;
    query.end()?;
    let filter = ApprovalFilter::default();
    let found = page
        .environment
        .approvals(&filter, page_token.as_deref(), SIZE);
    let found = found.await?;
    let context = context! {
        own => LIST,
        rows => Serde(found.items),
        page_token => page_token,
        next_page_token => found.next_page_token,
    };
    Ok(page.render("approvals/list.html", context))
}
