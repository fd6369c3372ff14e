//! Pages for people.

use minijinja::{Environment, context, value::Serde};
use serde::Serialize;

/// A person to choose.
#[derive(Debug, Serialize)]
pub(super) struct Person {
    pub(super) email: &'static str,
    pub(super) name: &'static str,
    pub(super) pages: Vec<Shareable>,
}

/// A page to choose.
#[derive(Debug, Serialize)]
pub(super) struct Shareable {
    pub(super) id: String,
    pub(super) title: String,
}

/// The page that asks.
pub(super) fn consent(request: &str, client: &str, people: &[Person]) -> String {
    let values = context! { request, client, people => Serde(people) };
    // The name ends in .html, so that every value is escaped.
    Environment::new()
        .render_named_str("page.html", include_str!("consent.html"), &values)
        .unwrap_or_else(|error| {
            tracing::error!(%error, "a page could not be made");
            String::new()
        })
}

/// A page that says what went wrong.
pub(super) fn problem(text: &str) -> String {
    crate::google::pages::problem("Notion cannot go on", text)
}
