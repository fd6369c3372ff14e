//! `GET /dashboard/activity/events?about=&connection_name=&identifier=&after=`: the events, newest first.

use std::time::Duration;

use axum::response::Response;
use minijinja::{context, value::Serde};
use serde::Serialize;
use stead_core::{
    api::Paging,
    resource::{Event, EventType, ListConnections},
};

use super::{
    STREAM,
    filter::{ABOUT, Events},
};
use crate::{
    dashboard::{accounts, page::Page, words},
    extract::Query,
    problem::Result,
};

/// Events of a page.
const PAGE: u32 = 50;

/// An event in the table.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    id: String,
    at: String,
    name: String,
    title: String,
    hint: &'static str,
    connection_name: Option<String>,
    identifier: Option<String>,
    /// The page of the event's account.
    account: Option<String>,
    /// The reason or the outcome.
    about: Option<String>,
    actor: Option<String>,
}

pub(super) fn rows(events: Vec<Event>) -> Vec<Row> {
    events.into_iter().map(row).collect()
}

fn row(event: Event) -> Row {
    let text = |member| event.text(member).map(str::to_owned);
    let (connection_name, identifier) = (text("connection_name"), text("identifier"));
    // An erased account is only known by a pseudonym.
    let is_there = event.event_type != "account.erased" && event.event_type != "account.deleted";
    let account = match (&connection_name, &identifier) {
        (Some(name), Some(user)) if is_there => Some(accounts::path(name, user)),
        _ => None,
    };
    let about = text("reason").or_else(|| text("outcome"));
    Row {
        id: event.id.to_string(),
        at: event.timestamp.to_string(),
        title: words::event(&event.event_type),
        hint: EventType::of(&event.event_type).map_or("", |known| known.when),
        account,
        about: about.map(|about| about.replace('_', " ")),
        actor: event.actor.map(|actor| actor.kind.replace('_', " ")),
        name: event.event_type,
        connection_name,
        identifier,
    }
}

pub(super) async fn list(page: Page, mut query: Query) -> Result<Response> {
    let filter = Events::read(&mut query)?;
    let after = query.text("page_token")?;
    query.end()?;
    let environment = &page.environment;
    let found = environment
        .events(&filter.to_filter(), after.as_deref(), PAGE, Duration::ZERO)
        .await?;
    let connections = environment
        .send(ListConnections::new().page(Paging::new(None, 100)))
        .await?
        .items;
    let names = connections
        .iter()
        .map(|connection| connection.connection_name.to_string());
    let kept = filter.query();
    let stream = after
        .is_none()
        .then(|| format!("{STREAM}?kind=events&{kept}"));
    let context = context! {
        rows => Serde(rows(found.items)),
        connections => names.collect::<Vec<_>>(),
        abouts => Serde(ABOUT),
        about => filter.about,
        connection_name => filter.connection_name,
        identifier => filter.identifier,
        is_filtered => !kept.is_empty(),
        stream,
        query => if kept.is_empty() { kept } else { kept + "&" },
        page_token => after,
        next_page_token => found.more.then_some(found.cursor),
    };
    Ok(page.render("activity/events.html", context))
}
