//! `GET /dashboard/connections/new/product`: chooses the product of a new connection.

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde::Serialize;

use crate::{dashboard::page::Page, extract::Query, problem::Result};

#[derive(Debug, Serialize)]
struct Choice {
    name: &'static str,
    title: &'static str,
    /// The first line of its documentation.
    about: String,
}

pub(super) async fn choose(page: Page, query: Query) -> Result<Response> {
    query.end()?;
    let products = page.environment.catalogue().products().iter();
    let choices = products.map(|product| {
        let first = product.docs.lines().next().unwrap_or_default();
        let about = first.split_once(": ").map_or(first, |(_, about)| about);
        let mut letters = about.chars();
        let initial = letters.next().into_iter().flat_map(char::to_uppercase);
        Choice {
            name: product.name,
            title: product.title,
            about: initial.chain(letters.as_str().chars()).collect(),
        }
    });
    let context = context! { choices => Serde(choices.collect::<Vec<_>>()) };
    Ok(page.render("connections/choose.html", context))
}
