//! The feed as server-sent events (HTML Living Standard, section 9.2). Each event has its cursor as its ID, so that a
//! client that reconnects continues where it was.

use std::{collections::VecDeque, pin::pin, time::Duration};

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
use stead::Error;
use stead_core::{
    environment::Environment,
    resource::{EventFilter, EventPage},
};

use super::{check_token, token};
use crate::{caller::Stopping, problem::Result};

/// Number of events to read together.
const READ: u32 = 100;
/// Longest wait before the token is checked again. That way, a revocation takes effect within 5 s.
const WAIT: Duration = Duration::from_secs(4);
/// After this many waits without an event, the stream sends a sign of life.
const QUIET: u32 = 4;
/// How long a client waits before it reconnects, in milliseconds.
const RETRY: &str = "retry: 1000\n\n";

struct Reader {
    environment: Environment,
    filter: EventFilter,
    token: String,
    cursor: String,
    stopping: Stopping,
    written: VecDeque<Bytes>,
    quiet: u32,
}

/// All events after a cursor, and those that come later, until the service stops, the token ends or the client
/// disconnects.
pub(super) async fn stream(
    environment: Environment,
    filter: EventFilter,
    after: Option<String>,
    stopping: Stopping,
    headers: &HeaderMap,
) -> Result<Response> {
    // A faulty request gets a problem, not a stream.
    let first = environment.events(&filter, after.as_deref(), READ, Duration::ZERO);
    let first = first.await?;
    let mut reader = Reader {
        environment,
        filter,
        token: token(headers),
        cursor: first.cursor.clone(),
        stopping,
        written: VecDeque::from([Bytes::from_static(RETRY.as_bytes())]),
        quiet: 0,
    };
    reader.write(&first);
    let body = stream::unfold(reader, async |mut reader: Reader| {
        let next = reader.next().await?;
        Some((Ok::<_, Error>(next), reader))
    });
    let mut response = Body::from_stream(body).into_response();
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("text/event-stream");
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // A load balancer that buffers responses would delay events.
    let as_it_comes = HeaderValue::from_static("no");
    headers.insert("x-accel-buffering", as_it_comes);
    Ok(response)
}

impl Reader {
    /// The next bytes. `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(next) = self.written.pop_front() {
                return Some(next);
            }
            let page = {
                let reading = self
                    .environment
                    .events(&self.filter, Some(&self.cursor), READ, WAIT);
                match select(pin!(reading), pin!(self.stopping.stopped())).await {
                    Either::Left((page, _)) => page.ok()?,
                    Either::Right(_) => return None,
                }
            };
            // A caller that lost the right during the wait gets no events.
            let allowed = check_token(&self.environment, &self.token).await;
            if allowed.is_err() {
                return None;
            }
            self.write(&page);
        }
    }

    /// Writes a page, or a sign of life if there was no event for a while.
    fn write(&mut self, page: &EventPage) {
        if page.gap {
            self.put(&format!(
                "event: gap\nid: {}\ndata: {{\"gap\":true}}\n\n",
                self.cursor
            ));
        }
        for event in &page.items {
            let data = serde_json::to_string(event).unwrap_or_default();
            let (name, cursor) = (&event.event_type, &event.cursor);
            self.put(&format!("event: {name}\nid: {cursor}\ndata: {data}\n\n"));
        }
        let moved = self.cursor != page.cursor;
        self.cursor.clone_from(&page.cursor);
        if !self.written.is_empty() {
            return;
        }
        self.quiet += 1;
        if self.quiet >= QUIET {
            // An ID without data isn't an event, but the client sends it when it reconnects.
            let id = match moved {
                true => format!("id: {}\n", self.cursor),
                false => String::new(),
            };
            self.put(&format!(": \n{id}\n"));
        }
    }

    fn put(&mut self, text: &str) {
        self.quiet = 0;
        self.written
            .push_back(Bytes::copy_from_slice(text.as_bytes()));
    }
}
