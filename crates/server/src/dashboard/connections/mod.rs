//! Connections: one product's OAuth client each.

mod list;

use super::{
    session::Role,
    table::{PageRoute, page},
};

pub(super) const TEMPLATES: &[(&str, &str)] =
    &[("connections/list.html", include_str!("list.html"))];

pub(super) fn routes() -> Vec<PageRoute> {
    vec![page("/dashboard/connections", Role::Viewer, list::list)]
}
