//! `GET /dashboard/settings/credentials/{client_id}`.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead_core::resource::ReadAppCredential;

use super::{super::sections::render, given::about};
use crate::{
    dashboard::page::Page,
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn read(page: Page, Path(id): Path<String>, query: Query) -> Result<Response> {
    query.end()?;
    let credential = page.environment.send(ReadAppCredential::new(&id)).await?;
    let now = page.environment.runtime().now();
    let catalogue = page.environment.catalogue();
    let scopes = credential.scopes.iter().map(|scope| {
        let product = scope.product.as_deref();
        // A scope that no longer exists is shown by its name.
        let title = product.map(|name| catalogue.product(name).map_or(name, |found| found.title));
        (
            scope.to_string(),
            about(scope.name),
            title.map(str::to_owned),
        )
    });
    let context = context! {
        scopes => scopes.collect::<Vec<_>>(),
        has_ended => credential.expires_at.is_some_and(|end| end <= now),
        credential => Serde(&credential),
    };
    Ok(render(&page, "settings/credentials/read.html", context))
}
