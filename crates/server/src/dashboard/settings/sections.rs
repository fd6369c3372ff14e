//! The sections of the settings, and who sees them.

use axum::response::Response;
use http::StatusCode;
use minijinja::{Value, context, value::Serde};
use serde::Serialize;

use crate::dashboard::{page::Page, session::Role};

/// A section. A member sees it if their role has the scope of the matching JSON routes.
#[derive(Debug, Serialize)]
struct Section {
    path: &'static str,
    title: &'static str,
    about: &'static str,
    icon: &'static str,
    #[serde(skip)]
    role: Role,
}

const SECTIONS: &[Section] = &[
    Section {
        path: "/dashboard/settings/credentials",
        title: "Credentials",
        about: "Create and revoke the client IDs and secrets of your applications.",
        icon: "lock",
        role: Role::Owner,
    },
    Section {
        path: "/dashboard/settings/webhooks",
        title: "Webhooks",
        about: "Send events to your application.",
        icon: "send",
        role: Role::Operator,
    },
    Section {
        path: "/dashboard/settings/keys",
        title: "Keys",
        about: "Rotate the keys that encrypt the database’s secrets.",
        icon: "key",
        role: Role::Owner,
    },
    Section {
        path: "/dashboard/settings/members",
        title: "Members",
        about: "Choose who can sign in here, and with which role.",
        icon: "users",
        role: Role::Owner,
    },
    Section {
        path: "/dashboard/settings/audit",
        title: "Audit log",
        about: "See who changed what, and check that no one tampered with the log.",
        icon: "list",
        role: Role::Viewer,
    },
    Section {
        path: "/dashboard/settings/storage",
        title: "Storage",
        about: "See what Stead stores, for how long, and how much space it uses.",
        icon: "warehouse",
        role: Role::Viewer,
    },
    Section {
        path: "/dashboard/settings/appearance",
        title: "Appearance",
        about: "Preview the pages that your users see when they connect.",
        icon: "eye",
        role: Role::Viewer,
    },
];

/// A page of the settings.
pub(super) fn render(page: &Page, name: &str, given: Value) -> Response {
    render_with(page, StatusCode::OK, name, given)
}

/// The same with another status.
pub(super) fn render_with(page: &Page, status: StatusCode, name: &str, given: Value) -> Response {
    let seen = SECTIONS.iter().filter(|one| page.role() >= Some(one.role));
    let seen: Vec<&Section> = seen.collect();
    let prefix = page.environment.public_url().path().trim_end_matches('/');
    let tabs: Vec<(String, &str)> = seen
        .iter()
        .map(|one| (format!("{prefix}{}", one.path), one.title))
        .collect();
    // A form without anything wrong has no errors.
    let context = context! {
        ..given,
        ..context! { errors => context! {}, tabs => tabs, sections => Serde(&seen) },
    };
    page.render_with(status, name, context)
}
