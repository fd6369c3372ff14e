//! `GET /dashboard/settings/appearance/preview?product=`: the page on which users connect, with a form that does
//! nothing.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::HeaderMap;
use stead::{Error, ErrorKind};

use crate::{
    dashboard::page::Page,
    extract::Query,
    pages::{Language, Pages},
    problem::Result,
};

pub(super) async fn show(
    page: Page,
    State(pages): State<Arc<Pages>>,
    headers: HeaderMap,
    mut query: Query,
) -> Result<Response> {
    let name = query.text("product")?;
    query.end()?;
    let catalogue = page.environment.catalogue();
    let product = match &name {
        Some(name) => catalogue.product(name),
        None => catalogue.products().first().copied(),
    };
    let product = product.ok_or_else(|| {
        Error::new(
            ErrorKind::NotFound,
            "this environment doesn’t have this product",
        )
    })?;
    Ok(pages.preview(Language::of(&headers), product))
}
