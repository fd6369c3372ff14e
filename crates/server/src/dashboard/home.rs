//! `GET /dashboard`.

use axum::response::Response;
use minijinja::context;
use stead::core::resource::Role;

use super::{
    page::Page,
    table::{PageRoute, page},
};

pub(super) const TEMPLATES: &[(&str, &str)] = &[("home.html", include_str!("templates/home.html"))];

pub(super) fn routes() -> Vec<PageRoute> {
    vec![page("/dashboard", Role::Viewer, show)]
}

async fn show(page: Page) -> Response {
    page.render("home.html", context! {})
}
