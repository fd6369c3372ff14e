//! Settings: the pages of resources, which follow from their declarations, and a folder for each other kind of setting.

mod appearance;
mod audit;
mod credentials;
mod keys;
mod members;
mod pages;
mod render;
mod resources;
mod sections;
mod show;
mod storage;
#[cfg(test)]
mod tests;
mod webhooks;

#[cfg(test)]
pub(super) use appearance::PREVIEW;
pub(super) use sections::sections;

use super::{
    session::Role,
    table::{PageRoute, page},
};

/// The templates that sections share, and those without a folder.
const TEMPLATES: &[(&str, &str)] = &[
    ("settings/frame.html", include_str!("frame.html")),
    ("settings/members.html", include_str!("members.html")),
    ("settings/show.html", include_str!("show.html")),
];

pub(super) fn templates() -> impl Iterator<Item = &'static [(&'static str, &'static str)]> {
    [
        TEMPLATES,
        pages::TEMPLATES,
        credentials::TEMPLATES,
        webhooks::TEMPLATES,
        keys::TEMPLATES,
        storage::TEMPLATES,
        audit::TEMPLATES,
        appearance::TEMPLATES,
    ]
    .into_iter()
}

pub(super) fn routes() -> Vec<PageRoute> {
    let own = vec![page("/dashboard/settings", Role::Viewer, show::show)];
    let others = [
        own,
        storage::routes(),
        audit::routes(),
        appearance::routes(),
    ];
    let resources = resources::all().iter().map(pages::routes);
    others.into_iter().chain(resources).flatten().collect()
}
