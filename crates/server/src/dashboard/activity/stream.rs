//! `GET /dashboard/activity/live?kind=`, with the filters of the page: its new rows and its charts as server-sent
//! events, for as long as the member's session lives.

use std::{collections::HashSet, pin::pin, time::Duration};

use axum::{
    body::Body,
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::{
    future::{Either, select},
    stream,
};
use http::{HeaderMap, HeaderValue, header};
use minijinja::{context, value::Serde};
use secrecy::ExposeSecret as _;
use stead::Error;

use super::{events, filter, list::rows, summary::Summary};
use crate::{
    caller::Stopping,
    dashboard::{
        live::{News, Watching},
        page::Page,
        session::SignedIn,
    },
    extract::Query,
    problem::Result,
};

/// Seconds between checks of the session when nothing is new.
const WAIT: u32 = 4;
/// Seconds between updates of the charts, if they have changed.
const CHARTS: u32 = 5;
/// Number of waits without news before a comment keeps the connection alive.
const QUIET: u32 = 4;

/// The rows of a page.
enum Shown {
    Calls(filter::Calls),
    Events(filter::Events),
}

struct Stream {
    page: Page,
    member: SignedIn,
    stopping: Stopping,
    watching: Watching,
    shown: Shown,
    /// IDs of the rows of the previous look.
    known: HashSet<String>,
    /// Lower bound of the seconds since the charts were sent. News arrives at most once a second.
    uncharted: u32,
    /// Whether the charts have changed since.
    stale: bool,
    quiet: u32,
}

pub(super) async fn stream(
    page: Page,
    member: SignedIn,
    stopping: Stopping,
    headers: HeaderMap,
    mut query: Query,
) -> Result<Response> {
    let is_events = query.one_of("kind", &[("calls", false), ("events", true)])?;
    let shown = match is_events {
        Some(true) => Shown::Events(filter::Events::read(&mut query)?),
        _ => Shown::Calls(filter::Calls::read(&mut query)?),
    };
    query.end()?;
    let accepted = headers.get(header::ACCEPT).map(HeaderValue::as_bytes);
    if accepted != Some(b"text/event-stream") {
        // Someone opened the address in a browser tab.
        return Ok(page.redirect("/dashboard/activity"));
    }
    let stream = Stream {
        watching: page.live().watch()?,
        stopping,
        page,
        member,
        shown,
        known: HashSet::new(),
        uncharted: 0,
        stale: false,
        quiet: 0,
    };
    let body = stream::unfold(stream, async |mut stream: Stream| {
        let next = stream.next().await?;
        Some((Ok::<_, Error>(next), stream))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Tells proxies not to buffer the response, which would delay events.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, Body::from_stream(body)).into_response())
}

impl Stream {
    /// The next bytes. `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let runtime = self.page.environment.runtime();
            let pause = runtime.sleep(Duration::from_secs(WAIT.into()));
            let changed = {
                let changed = pin!(self.watching.news.changed());
                let waiting = select(changed, pause);
                match select(waiting, pin!(self.stopping.stopped())).await {
                    Either::Left((Either::Left((changed, _)), _)) => {
                        changed.ok()?;
                        true
                    }
                    Either::Left((Either::Right(_), _)) => false,
                    Either::Right(_) => return None,
                }
            };
            self.uncharted += if changed { 1 } else { WAIT };
            let session = self.member.session.expose_secret();
            self.page.environment.check_session(session).await.ok()?;
            let mut text = String::new();
            if changed {
                let news = self.watching.news.borrow_and_update().clone();
                text = self.rows(&news);
                self.stale |= matches!(self.shown, Shown::Calls(_));
            }
            if self.stale && self.uncharted >= CHARTS {
                (self.uncharted, self.stale) = (0, false);
                text += &self.summary().await.unwrap_or_default();
            }
            if text.is_empty() {
                self.quiet += 1;
                if self.quiet < QUIET {
                    continue;
                }
                text = String::from(":\n\n");
            }
            self.quiet = 0;
            return Some(Bytes::from(text));
        }
    }

    /// The news since the last time, as rows of the page's table.
    fn rows(&mut self, news: &News) -> String {
        let html = match &self.shown {
            Shown::Calls(filter) => {
                let id =
                    |call: &stead_core::resource::ExecutionRecord| call.execution_id.to_string();
                let new = news
                    .calls
                    .iter()
                    .filter(|call| !self.known.contains(&id(call)));
                let new: Vec<_> = new.filter(|call| filter.takes(call)).cloned().collect();
                self.known = news.calls.iter().map(id).collect();
                if new.is_empty() {
                    return String::new();
                }
                let context = context! { rows => Serde(rows(new)) };
                self.page.part("activity/rows.html", &context)
            }
            Shown::Events(filter) => {
                let id = |event: &stead_core::resource::Event| event.id.to_string();
                let new = news
                    .events
                    .iter()
                    .filter(|event| !self.known.contains(&id(event)));
                let new: Vec<_> = new.filter(|event| filter.takes(event)).cloned().collect();
                self.known = news.events.iter().map(id).collect();
                if new.is_empty() {
                    return String::new();
                }
                let context = context! { rows => Serde(events::rows(new)) };
                self.page.part("activity/event_rows.html", &context)
            }
        };
        event("rows", &html)
    }

    async fn summary(&self) -> Result<String, Error> {
        let Shown::Calls(filter) = &self.shown else {
            return Ok(String::new());
        };
        let summary = Summary::of(&self.page, filter).await?;
        let context = context! { summary => Serde(summary) };
        Ok(event(
            "summary",
            &self.page.part("activity/summary.html", &context),
        ))
    }
}

/// An event of the stream. Empty if there is nothing to say.
fn event(name: &str, html: &str) -> String {
    let mut text = format!("event: {name}\n");
    // A line of its own could also end with a carriage return.
    for line in html.split(['\n', '\r']).filter(|line| !line.is_empty()) {
        text += &format!("data: {line}\n");
    }
    text + "\n"
}
