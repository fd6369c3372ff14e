//! `GET /dashboard/policies`: all policies, and a form for another one.

use axum::response::Response;
use http::StatusCode;
use minijinja::{context, value::Serde};
use stead_core::resource::ListPolicies;

use super::{editor::Editor, in_words::in_words};
use crate::{dashboard::page::Page, extract::Query, problem::Result};

/// The initial value of the form for a new policy.
const NEW: &str = r#"{
  "name": "agents",
  "read_only": true
}"#;

pub(super) async fn list(page: Page, query: Query) -> Result<Response> {
    query.end()?;
    show(&page, StatusCode::OK, &Editor::of(NEW)).await
}

pub(super) async fn show(page: &Page, status: StatusCode, form: &Editor) -> Result<Response> {
    let policies = page.environment.send(ListPolicies::new()).await?.items;
    let rows: Vec<_> = policies
        .iter()
        .map(|policy| context! { policy => Serde(policy), rules => in_words(policy) })
        .collect();
    let context = context! { rows => rows, form => Serde(form) };
    Ok(page.render_with(status, "policies/list.html", context))
}
