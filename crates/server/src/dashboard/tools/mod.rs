//! The catalogue of tools.

mod list;
mod parameters;
mod read;

use super::{
    session::Role,
    table::{PageRoute, page},
};

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("tools/list.html", include_str!("list.html")),
    ("tools/read.html", include_str!("read.html")),
];

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        page("/dashboard/tools", Role::Viewer, list::list),
        page("/dashboard/tools/{name}", Role::Viewer, read::read),
    ]
}

/// About how many tokens a text is to a model. Four bytes for one is a rule of thumb.
fn tokens(text: &str) -> u64 {
    text.len().div_ceil(4) as u64
}
