//! `GET /dashboard/sandbox?user=&section=`.

use axum::response::Response;
use minijinja::{context, value::Serde};

use super::control;
use crate::{dashboard::page::Page, extract::Query, problem::Result};

/// Maximum number of records and requests to show.
const MOST: usize = 50;

pub(super) async fn show(page: Page, mut query: Query) -> Result<Response> {
    let user = query.text("user")?;
    let section = query.text("section")?;
    query.end()?;
    let sandbox = control(&page)?;
    let users = sandbox.users();
    let known = |user: &String| users.iter().any(|(name, _)| name == user);
    let user = user.filter(known);
    let user = user.or_else(|| users.first().map(|(name, _)| name.clone()));
    let user = user.unwrap_or_default();
    let mut sections = sandbox.sections(&user);
    let titles: Vec<(String, String, usize)> = sections
        .iter()
        .map(|one| (one.name.clone(), one.title.clone(), one.records.len()))
        .collect();
    let place = sections
        .iter()
        .position(|one| Some(&one.name) == section.as_ref());
    let shown = (!sections.is_empty()).then(|| sections.swap_remove(place.unwrap_or(0)));
    let shown = shown.map(|mut section| {
        let more = section.records.len().saturating_sub(MOST);
        section.records.truncate(MOST);
        context! { section => Serde(section), more => more }
    });
    let (requests, received) = sandbox.received(MOST);
    let context = context! {
        user => user,
        users => users,
        titles => titles,
        shown => shown,
        requests => Serde(requests),
        received => received,
        faults => sandbox.faults(),
        waiting => sandbox.waiting(),
    };
    Ok(page.render("sandbox/show.html", context))
}
