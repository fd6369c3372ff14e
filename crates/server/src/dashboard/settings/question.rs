//! The page that asks for confirmation before something that can't be undone.

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde::Serialize;

use super::sections::render;
use crate::dashboard::page::Page;

/// The question. Its paths are paths of the dashboard, and its form goes to the page's own path.
#[derive(Debug, Serialize)]
pub(super) struct Question<'a> {
    pub(super) title: String,
    /// The consequences, a sentence each.
    pub(super) consequences: &'a [&'a str],
    /// The label of the button.
    pub(super) text: &'a str,
    /// The page to return to on Cancel.
    pub(super) back: String,
}

impl Question<'_> {
    pub(super) fn ask(&self, page: &Page) -> Response {
        render(
            page,
            "settings/question.html",
            context! { question => Serde(self) },
        )
    }
}
