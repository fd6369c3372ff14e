//! `GET /dashboard/approvals/{approval_id}`: what exactly is to be approved.

use axum::response::Response;
use minijinja::{context, value::Serde};

use crate::{
    dashboard::page::Page,
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn read(
    page: Page,
    Path(approval_id): Path<String>,
    query: Query,
) -> Result<Response> {
    query.end()?;
    let approval = page.environment.approval(&approval_id).await?;
    let arguments = serde_json::to_string_pretty(&approval.arguments).unwrap_or_default();
    let context = context! { approval => Serde(approval), arguments };
    Ok(page.render("approvals/read.html", context))
}
