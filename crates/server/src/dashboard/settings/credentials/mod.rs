//! Credentials of applications. A secret is only on the page that follows its creation.

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
use stead_core::resource::IssuedAppSecret;

use super::sections::render;
use crate::dashboard::{
    page::Page,
    session::Role,
    table::{PageRoute, StepUp, action, form_page, page},
};

const LIST: &str = "/dashboard/settings/credentials";
const NEW: &str = "/dashboard/settings/credentials/new";

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
        form_page(NEW, role, create::show),
        action(
            LIST,
            role,
            StepUp::First(NEW),
            "POST /v1/app-credentials",
            create::submit,
        ),
        page(
            "/dashboard/settings/credentials/{client_id}",
            role,
            read::read,
        ),
        form_page(change, role, change::show),
        action(
            change,
            role,
            StepUp::First(change),
            "PATCH /v1/app-credentials/{client_id}",
            change::submit,
        ),
        form_page(rotate, role, rotate::show),
        action(
            rotate,
            role,
            StepUp::First(rotate),
            "POST /v1/app-credentials/{client_id}/rotate",
            rotate::submit,
        ),
        form_page(secret, role, revoke_secret::show),
        action(
            secret,
            role,
            StepUp::First(secret),
            "DELETE /v1/app-credentials/{client_id}/secrets/{secret_id}",
            revoke_secret::submit,
        ),
        form_page(revoke, role, revoke::show),
        action(
            revoke,
            role,
            StepUp::First(revoke),
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
