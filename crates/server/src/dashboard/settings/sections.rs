//! The sections of the settings, and who sees them.

use serde::Serialize;

use super::{pages::Resource, resources};
use crate::dashboard::session::Role;

/// A section. A member sees it if their role has the scope of the matching JSON routes.
#[derive(Debug, Serialize)]
pub(crate) struct Section {
    path: &'static str,
    title: String,
    about: String,
    icon: &'static str,
    role: Role,
}

/// All sections: those of resources, and the others.
pub(crate) fn sections() -> Vec<Section> {
    let of_resource = |resource: &'static Resource| Section {
        path: &resource.path,
        title: resource.title(),
        about: match resource.about {
            "" => resource.description(),
            about => about.to_owned(),
        },
        icon: resource.icon,
        role: resource.role(),
    };
    let other = |(path, title, about, icon): (_, &str, &str, _)| Section {
        path,
        title: title.to_owned(),
        about: about.to_owned(),
        icon,
        role: Role::Viewer,
    };
    let others = [
        (
            "/dashboard/settings/audit",
            "Audit log",
            "See who changed what, and check that no one tampered with the log.",
            "list",
        ),
        (
            "/dashboard/settings/storage",
            "Storage",
            "See what Stead stores, for how long, and how much space it uses.",
            "warehouse",
        ),
        (
            "/dashboard/settings/appearance",
            "Appearance",
            "Preview the pages that your users see when they connect.",
            "eye",
        ),
    ];
    let resources = resources::all().iter().map(of_resource);
    resources.chain(others.map(other)).collect()
}
