//! The audit log: who changed what, and whether anyone tampered with the log.

mod list;
mod verify;

use crate::dashboard::{
    session::Role,
    table::{PageRoute, page},
};

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("settings/audit/list.html", include_str!("list.html")),
    ("settings/audit/verify.html", include_str!("verify.html")),
];

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        page("/dashboard/settings/audit", Role::Viewer, list::list),
        page(
            "/dashboard/settings/audit/verify",
            Role::Viewer,
            verify::verify,
        ),
    ]
}
