//! `GET /dashboard/settings/credentials/{client_id}`.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead::core::scope::ScopeName;

use super::super::sections::render;
use crate::{
    dashboard::page::Page,
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn read(page: Page, Path(id): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let credential = page.environment.app_credential(&id).await?;
    let now = page.environment.runtime().now();
    let scopes = credential.scopes.iter().map(|scope| {
        let name: ScopeName = scope.name;
        let about = name.summary().split_inclusive(". ").next();
        (scope.to_string(), about.unwrap_or_default().trim())
    });
    let context = context! {
        scopes => scopes.collect::<Vec<_>>(),
        has_ended => credential.expires_at.is_some_and(|end| end <= now),
        credential => Serde(&credential),
    };
    Ok(render(&page, "settings/credentials/read.html", context))
}
