//! The sections of the settings: which there are, and who sees them.

use axum::response::Response;
use http::StatusCode;
use minijinja::{Value, context, value::Serde};
use serde::Serialize;

use crate::dashboard::{page::Page, session::Role};

/// A section. Who sees it is who has the scope that its routes of the JSON interface need.
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
        about: "What applications prove themselves with, and what each may do.",
        icon: "lock",
        role: Role::Owner,
    },
    Section {
        path: "/dashboard/settings/webhooks",
        title: "Webhooks",
        about: "Addresses of your application that are told what happens.",
        icon: "send",
        role: Role::Operator,
    },
    Section {
        path: "/dashboard/settings/keys",
        title: "Keys",
        about: "What seals the secrets in the database, and how it is replaced.",
        icon: "key",
        role: Role::Owner,
    },
    Section {
        path: "/dashboard/settings/members",
        title: "Members",
        about: "Who may sign in here, and with which role.",
        icon: "users",
        role: Role::Owner,
    },
    Section {
        path: "/dashboard/settings/audit",
        title: "Audit log",
        about: "Who changed what, in a chain that shows when it was tampered with.",
        icon: "list",
        role: Role::Viewer,
    },
    Section {
        path: "/dashboard/settings/storage",
        title: "Storage",
        about: "What is kept, for how long, and how much room it takes.",
        icon: "warehouse",
        role: Role::Viewer,
    },
    Section {
        path: "/dashboard/settings/appearance",
        title: "Appearance",
        about: "The pages that your users see when they connect.",
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
