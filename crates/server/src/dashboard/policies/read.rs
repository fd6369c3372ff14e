//! `GET /dashboard/policies/{policy_name}`: its rules in words and as JSON, and a form that explains what they decide.

use axum::response::Response;
use http::StatusCode;
use minijinja::{Value, context, value::Serde};
use stead_core::resource::{Policy, ReadPolicy};

use super::{editor::Editor, in_words::in_words};
use crate::{
    dashboard::page::Page,
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn read(page: Page, Path(name): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let policy = page.environment.send(ReadPolicy::new(&name)).await?;
    let form = Editor::of(&document(&policy));
    Ok(show(&page, StatusCode::OK, &policy, &form, untested()))
}

/// The page, with the values of its forms.
pub(super) fn show(
    page: &Page,
    status: StatusCode,
    policy: &Policy,
    form: &Editor,
    test: Value,
) -> Response {
    let context = context! {
        policy => Serde(policy),
        rules => in_words(policy),
        form => Serde(form),
        ..test
    };
    page.render_with(status, "policies/read.html", context)
}

/// The values of an empty test form.
pub(super) fn untested() -> Value {
    context! { test => context! {} }
}

/// A policy as its form shows it.
pub(super) fn document(policy: &Policy) -> String {
    let mut policy = policy.clone();
    policy.updated_at = None;
    serde_json::to_string_pretty(&policy).unwrap_or_default()
}
