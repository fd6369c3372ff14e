//! The page that asks once more before something is done that cannot be undone.

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde::Serialize;

use super::sections::render;
use crate::dashboard::page::Page;

/// What is asked. Paths are those of the dashboard; the form goes to the page's own.
#[derive(Debug, Serialize)]
pub(super) struct Question<'a> {
    pub(super) title: String,
    /// What follows from it, in sentences.
    pub(super) consequences: &'a [&'a str],
    /// What the button says.
    pub(super) text: &'a str,
    /// Where the browser goes instead.
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
