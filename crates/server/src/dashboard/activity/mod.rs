//! Activity: calls and events, live, with charts of the calls.

mod events;
mod filter;
mod list;
mod read;
mod stream;
mod summary;
#[cfg(test)]
mod tests;

use super::{
    session::Role,
    table::{PageRoute, page},
};

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    ("activity/events.html", include_str!("events.html")),
    ("activity/event_rows.html", include_str!("event_rows.html")),
    ("activity/list.html", include_str!("list.html")),
    ("activity/read.html", include_str!("read.html")),
    ("activity/rows.html", include_str!("rows.html")),
    ("activity/summary.html", include_str!("summary.html")),
];

/// The path of the live stream.
pub(super) const STREAM: &str = "/dashboard/activity/live";

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        page("/dashboard/activity", Role::Viewer, list::list),
        page("/dashboard/activity/events", Role::Viewer, events::list),
        page(STREAM, Role::Viewer, stream::stream),
        page(
            "/dashboard/activity/{execution_id}",
            Role::Viewer,
            read::read,
        ),
    ]
}
