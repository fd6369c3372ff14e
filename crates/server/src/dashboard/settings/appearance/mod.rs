//! The look of the pages that end users see. Options of the service set it.

mod preview;
mod show;

use crate::dashboard::{
    session::Role,
    table::{PageRoute, page},
};

pub(super) const TEMPLATES: &[(&str, &str)] =
    &[("settings/appearance/show.html", include_str!("show.html"))];

/// The path of the example of an end user's page.
pub(in crate::dashboard) const PREVIEW: &str = "/dashboard/settings/appearance/preview";

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        page("/dashboard/settings/appearance", Role::Viewer, show::show),
        page(PREVIEW, Role::Viewer, preview::show),
    ]
}
