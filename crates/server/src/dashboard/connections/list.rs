//! `GET /dashboard/connections?page_token=`.

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde::Serialize;
use stead_core::resource::{Connection, ListConnections};

use crate::{dashboard::page::Page, extract::Query, problem::Result};

#[derive(Debug, Serialize)]
struct Row {
    connection: Connection,
    title: &'static str,
}

pub(super) async fn list(page: Page, mut query: Query) -> Result<Response> {
    let paging = query.paging()?;
    query.end()?;
    let environment = &page.environment;
    let found = environment
        .send(ListConnections::new().page(paging.clone()))
        .await?;
    let rows = found.items.into_iter().map(|connection| {
        let product = environment.catalogue().product(&connection.product);
        Row {
            title: product.map_or("", |product| product.title),
            connection,
        }
    });
    let context = context! {
        rows => Serde(rows.collect::<Vec<_>>()),
        page_token => paging.token,
        next_page_token => found.next_page_token,
    };
    Ok(page.render("connections/list.html", context))
}
