//! `GET` and `POST /dashboard/policies/{policy_name}/delete`.

use axum::response::Response;
use minijinja::{context, value::Serde};

use super::{LIST, path};
use crate::{
    dashboard::{done::Done, page::Page, session::SignedIn},
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn show(page: Page, Path(name): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let policy = page.environment.policy(&name).await?;
    Ok(page.render("policies/delete.html", context! { policy => Serde(policy) }))
}

/// Refused while a live credential or session names it.
pub(super) async fn submit(
    page: Page,
    member: SignedIn,
    Path(name): Path<String>,
) -> Result<Response> {
    if let Some(first) = page.step_up_first(&member, &format!("{}/delete", path(&name))) {
        return Ok(first);
    }
    page.environment.delete_policy(&name).await?;
    Ok(page.redirect_done(LIST, Done::PolicyDeleted))
}
