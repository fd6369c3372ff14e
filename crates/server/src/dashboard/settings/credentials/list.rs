//! `GET /dashboard/settings/credentials?page_token=`.

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde::Serialize;
use stead_core::{
    api::Paging,
    resource::{AppCredential, ListAppCredentials},
};

use super::super::sections::render;
use crate::{dashboard::page::Page, extract::Query, problem::Result};

#[derive(Debug, Serialize)]
struct Row {
    credential: AppCredential,
    has_ended: bool,
}

pub(super) async fn list(page: Page, mut query: Query) -> Result<Response> {
    let paging = query.paging()?;
    query.end()?;
    let environment = &page.environment;
    let found = environment
        .send(
            ListAppCredentials::new()
                .page(Paging::new(paging.token.as_deref(), paging.size.min(50))),
        )
        .await?;
    let now = environment.runtime().now();
    let rows = found.items.into_iter().map(|credential| Row {
        has_ended: credential.expires_at.is_some_and(|end| end <= now),
        credential,
    });
    let context = context! {
        rows => Serde(rows.collect::<Vec<_>>()),
        page_token => paging.token,
        next_page_token => found.next_page_token,
    };
    Ok(render(&page, "settings/credentials/list.html", context))
}
