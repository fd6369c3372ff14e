//! Settings: a folder for each kind of setting, and a page that lists them.

mod appearance;
mod audit;
mod credentials;
mod keys;
mod members;
mod question;
mod refused;
mod sections;
mod show;
mod storage;
#[cfg(test)]
mod tests;
mod webhooks;

#[cfg(test)]
pub(super) use appearance::PREVIEW;

use super::{
    session::Role,
    table::{PageRoute, page},
};

/// The templates that all sections share.
const TEMPLATES: &[(&str, &str)] = &[
    ("settings/frame.html", include_str!("frame.html")),
    ("settings/question.html", include_str!("question.html")),
    ("settings/show.html", include_str!("show.html")),
];

pub(super) fn templates() -> impl Iterator<Item = &'static [(&'static str, &'static str)]> {
    [
        TEMPLATES,
        credentials::TEMPLATES,
        webhooks::TEMPLATES,
        keys::TEMPLATES,
        storage::TEMPLATES,
        audit::TEMPLATES,
        members::TEMPLATES,
        appearance::TEMPLATES,
    ]
    .into_iter()
}

pub(super) fn routes() -> Vec<PageRoute> {
    let own = vec![page("/dashboard/settings", Role::Viewer, show::show)];
    [
        own,
        credentials::routes(),
        webhooks::routes(),
        keys::routes(),
        storage::routes(),
        audit::routes(),
        members::routes(),
        appearance::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
