//! `GET` and `POST /dashboard/policies/{policy_name}/delete`.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead_core::resource::{DeletePolicy, ReadPolicy};

use super::LIST;
use crate::{
    dashboard::{done::Done, page::Page},
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn show(page: Page, Path(name): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let policy = page.environment.send(ReadPolicy::new(&name)).await?;
    Ok(page.render("policies/delete.html", context! { policy => Serde(policy) }))
}

/// Rejected while a valid credential or session uses the policy.
pub(super) async fn submit(page: Page, Path(name): Path<String>) -> Result<Response> {
    page.environment.send(DeletePolicy::new(&name)).await?;
    Ok(page.redirect_done(LIST, Done::PolicyDeleted))
}
