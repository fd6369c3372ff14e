//! `GET /dashboard/settings`: the sections.

use axum::response::Response;
use minijinja::context;

use super::render::render;
use crate::{dashboard::page::Page, extract::Query, problem::Result};

pub(super) async fn show(page: Page, query: Query) -> Result<Response> {
    query.end()?;
    Ok(render(&page, "settings/show.html", context! {}))
}
