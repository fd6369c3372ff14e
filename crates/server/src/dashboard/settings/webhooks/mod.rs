//! Webhooks: URLs of the application that get events. A secret is only on the page that follows its
//! creation.

mod change;
mod create;
mod delete;
mod given;
mod list;
mod pause;
mod read;
mod replay;
mod replay_delivery;
mod rotate_secret;
mod test;

use axum::response::Response;
use minijinja::{context, value::Serde};
use secrecy::ExposeSecret as _;
use stead_core::resource::WebhookWithSecret;

use super::sections::render;
use crate::dashboard::{
    page::Page,
    session::Role,
    table::{PageRoute, StepUp, action, form_page, page},
};

const LIST: &str = "/dashboard/settings/webhooks";
const NEW: &str = "/dashboard/settings/webhooks/new";

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("settings/webhooks/change.html", include_str!("change.html")),
    ("settings/webhooks/create.html", include_str!("create.html")),
    ("settings/webhooks/fields.html", include_str!("fields.html")),
    ("settings/webhooks/list.html", include_str!("list.html")),
    ("settings/webhooks/read.html", include_str!("read.html")),
    ("settings/webhooks/secret.html", include_str!("secret.html")),
];

pub(super) fn routes() -> Vec<PageRoute> {
    let role = Role::Operator;
    let own = "/dashboard/settings/webhooks/{webhook_id}";
    let change = "/dashboard/settings/webhooks/{webhook_id}/change";
    let rotate = "/dashboard/settings/webhooks/{webhook_id}/rotate-secret";
    let delete = "/dashboard/settings/webhooks/{webhook_id}/delete";
    let patch = "PATCH /v1/webhooks/{webhook_id}";
    vec![
        page(LIST, role, list::list),
        form_page(NEW, role, create::show),
        action(
            LIST,
            role,
            StepUp::First(NEW),
            "POST /v1/webhooks",
            create::submit,
        ),
        page(own, role, read::read),
        form_page(change, role, change::show),
        action(change, role, StepUp::First(change), patch, change::submit),
        action(
            "/dashboard/settings/webhooks/{webhook_id}/pause",
            role,
            StepUp::No,
            patch,
            pause::pause,
        ),
        action(
            "/dashboard/settings/webhooks/{webhook_id}/resume",
            role,
            StepUp::First(own),
            patch,
            pause::resume,
        ),
        action(
            "/dashboard/settings/webhooks/{webhook_id}/test",
            role,
            StepUp::No,
            "POST /v1/webhooks/{webhook_id}/test",
            test::submit,
        ),
        action(
            "/dashboard/settings/webhooks/{webhook_id}/replay",
            role,
            StepUp::No,
            "POST /v1/webhooks/{webhook_id}/replay",
            replay::submit,
        ),
        action(
            "/dashboard/settings/webhooks/{webhook_id}/deliveries/{event_id}/replay",
            role,
            StepUp::No,
            "POST /v1/webhooks/{webhook_id}/deliveries/{event_id}/replay",
            replay_delivery::submit,
        ),
        form_page(rotate, role, rotate_secret::show),
        action(
            rotate,
            role,
            StepUp::First(rotate),
            "POST /v1/webhooks/{webhook_id}/rotate-secret",
            rotate_secret::submit,
        ),
        form_page(delete, role, delete::show),
        action(
            delete,
            role,
            StepUp::First(delete),
            "DELETE /v1/webhooks/{webhook_id}",
            delete::submit,
        ),
    ]
}

fn path(id: &str) -> String {
    format!("{LIST}/{}", crate::dashboard::format::segment(id))
}

/// The page with a secret that was just made.
fn show_secret(page: &Page, made: &WebhookWithSecret, is_new: bool) -> Response {
    let context = context! {
        webhook => Serde(&made.webhook),
        secret => made.secret.expose_secret(),
        is_new => is_new,
    };
    render(page, "settings/webhooks/secret.html", context)
}
