//! Members of the dashboard. A link to set a password is only on the page that follows its creation.

mod change;
mod delete;
mod disable;
mod invite;
mod list;
mod read;
mod reset;

use axum::response::Response;
use minijinja::{context, value::Serde};
use secrecy::ExposeSecret as _;
use stead_core::resource::IssuedMemberLink;

use super::sections::render;
use crate::dashboard::{
    page::Page,
    session::Role,
    table::{PageRoute, StepUp, action, form_page, page},
};

const LIST: &str = "/dashboard/settings/members";
const NEW: &str = "/dashboard/settings/members/new";

/// Roles, and what each can do.
const ROLES: [(&str, &str); 3] = [
    (
        "viewer",
        "Viewer: see connections, accounts, tools, calls, events and the audit log",
    ),
    (
        "operator",
        "Operator: also change connections, accounts and webhooks, and run tools",
    ),
    (
        "owner",
        "Owner: do everything, including credentials, keys and members",
    ),
];

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("settings/members/invite.html", include_str!("invite.html")),
    ("settings/members/link.html", include_str!("link.html")),
    ("settings/members/list.html", include_str!("list.html")),
    ("settings/members/read.html", include_str!("read.html")),
    ("settings/members/reset.html", include_str!("reset.html")),
];

pub(super) fn routes() -> Vec<PageRoute> {
    let role = Role::Owner;
    let own = "/dashboard/settings/members/{member_id}";
    let reset = "/dashboard/settings/members/{member_id}/reset";
    let delete = "/dashboard/settings/members/{member_id}/delete";
    let patch = "PATCH /v1/members/{member_id}";
    vec![
        page(LIST, role, list::list),
        form_page(NEW, role, invite::show),
        action(
            LIST,
            role,
            StepUp::First(NEW),
            "POST /v1/members",
            invite::submit,
        ),
        page(own, role, read::read),
        action(
            "/dashboard/settings/members/{member_id}/change",
            role,
            StepUp::First(own),
            patch,
            change::submit,
        ),
        action(
            "/dashboard/settings/members/{member_id}/disable",
            role,
            StepUp::No,
            patch,
            disable::disable,
        ),
        action(
            "/dashboard/settings/members/{member_id}/enable",
            role,
            StepUp::First(own),
            patch,
            disable::enable,
        ),
        form_page(reset, role, reset::show),
        action(
            reset,
            role,
            StepUp::First(reset),
            "POST /v1/members/{member_id}/reset",
            reset::submit,
        ),
        form_page(delete, role, delete::show),
        action(
            delete,
            role,
            StepUp::First(delete),
            "DELETE /v1/members/{member_id}",
            delete::submit,
        ),
    ]
}

fn path(id: &str) -> String {
    format!("{LIST}/{}", crate::dashboard::format::segment(id))
}

/// The page with a link that was just made.
fn show_link(page: &Page, issued: &IssuedMemberLink, is_new: bool) -> Response {
    let context = context! {
        of => Serde(&issued.member),
        link => issued.link.expose_secret(),
        is_new => is_new,
    };
    render(page, "settings/members/link.html", context)
}
