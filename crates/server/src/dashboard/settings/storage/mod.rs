//! Retention of records, and the space that the call history uses.

mod show;

use crate::dashboard::{
    session::Role,
    table::{PageRoute, page},
};

pub(super) const TEMPLATES: &[(&str, &str)] =
    &[("settings/storage/show.html", include_str!("show.html"))];

pub(super) fn routes() -> Vec<PageRoute> {
    vec![page(
        "/dashboard/settings/storage",
        Role::Viewer,
        show::show,
    )]
}
