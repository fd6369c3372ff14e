//! Credentials of applications. A secret stands on the page that its making leads to, and nowhere after it.

mod change;
mod create;
mod given;
mod list;
mod read;
mod revoke;
mod revoke_secret;
mod rotate;

use axum::response::Response;
use minijinja::{context, value::Serde};
use secrecy::ExposeSecret as _;
use stead::core::resource::IssuedAppSecret;

use super::sections::render;
use crate::dashboard::{
    page::Page,
    session::Role,
    table::{PageRoute, action, page},
};

const LIST: &str = "/dashboard/settings/credentials";

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    (
        "settings/credentials/change.html",
        include_str!("change.html"),
    ),
    (
        "settings/credentials/create.html",
        include_str!("create.html"),
    ),
    (
        "settings/credentials/fields.html",
        include_str!("fields.html"),
    ),
    ("settings/credentials/list.html", include_str!("list.html")),
    ("settings/credentials/read.html", include_str!("read.html")),
    (
        "settings/credentials/rotate.html",
        include_str!("rotate.html"),
    ),
    (
        "settings/credentials/secret.html",
        include_str!("secret.html"),
    ),
];

pub(super) fn routes() -> Vec<PageRoute> {
    let role = Role::Owner;
    let change = "/dashboard/settings/credentials/{client_id}/change";
    let rotate = "/dashboard/settings/credentials/{client_id}/rotate";
    let revoke = "/dashboard/settings/credentials/{client_id}/revoke";
    let secret = "/dashboard/settings/credentials/{client_id}/secrets/{secret_id}/revoke";
    vec![
        page(LIST, role, list::list),
        page("/dashboard/settings/credentials/new", role, create::show),
        action(LIST, role, "POST /v1/app-credentials", create::submit),
        page(
            "/dashboard/settings/credentials/{client_id}",
            role,
            read::read,
        ),
        page(change, role, change::show),
        action(
            change,
            role,
            "PATCH /v1/app-credentials/{client_id}",
            change::submit,
        ),
        page(rotate, role, rotate::show),
        action(
            rotate,
            role,
            "POST /v1/app-credentials/{client_id}/rotate",
            rotate::submit,
        ),
        page(secret, role, revoke_secret::show),
        action(
            secret,
            role,
            "DELETE /v1/app-credentials/{client_id}/secrets/{secret_id}",
            revoke_secret::submit,
        ),
        page(revoke, role, revoke::show),
        action(
            revoke,
            role,
            "DELETE /v1/app-credentials/{client_id}",
            revoke::submit,
        ),
    ]
}

fn path(client_id: &str) -> String {
    format!("{LIST}/{}", crate::dashboard::format::segment(client_id))
}

/// The page with a secret that was just made.
fn show_secret(page: &Page, issued: &IssuedAppSecret, is_new: bool) -> Response {
    let context = context! {
        credential => Serde(&issued.credential),
        secret => issued.client_secret.expose_secret(),
        is_new => is_new,
    };
    render(page, "settings/credentials/secret.html", context)
}
