//! `GET /v1/events?after=&limit=&types=&connection_name=&identifier=&newest_first=&wait=`: a page in JSON, or all
//! events as they come with `Accept: text/event-stream`.

use std::time::Duration;

use axum::response::{IntoResponse as _, Response};
use futures_util::future::{Either, select};
use http::{HeaderMap, header};
use stead::Error;
use stead_core::resource::{EventFilter, EventPage};

use super::{check_token, stream::stream, token};
use crate::{
    caller::Stopping,
    extract::{Acting, Json, Query},
    openapi::{Draft, Parameter, flag, list as list_of, number, text},
    problem::Result,
};

/// Default number of events of a page.
const LIMIT: u32 = 100;

pub(in crate::rest) const QUERY: &[Parameter] = &[
    text(
        "after",
        "Return events after this cursor. `latest` means new events only. Defaults to the oldest event.",
    ),
    number(
        "limit",
        "Maximum number of events on the page.",
        (1, 500, LIMIT),
    ),
    list_of(
        "types",
        "Only events of these types. Use full names or prefixes such as `account.*`.",
    ),
    text(
        "connection_name",
        "Only events about this connection and its accounts.",
    ),
    text("identifier", "Only events about this user's accounts."),
    flag(
        "newest_first",
        "Newest first, starting before the cursor `after` or at the last event. Returns immediately.",
    ),
    number(
        "wait",
        "Seconds to wait if no event is available yet.",
        (0, 30, 0),
    ),
];

/// The page, or the stream.
pub(in crate::rest) fn describe(draft: &mut Draft<'_>) {
    draft.gives::<EventPage>(200);
    draft.gives_any(200, "", "text/event-stream");
}

pub(in crate::rest) async fn list(
    Acting(environment): Acting,
    stopping: Stopping,
    headers: HeaderMap,
    mut query: Query,
) -> Result<Response> {
    let mut filter = EventFilter::default();
    filter.types = query.list("types")?;
    filter.connection_name = query.text("connection_name")?;
    filter.identifier = query.text("identifier")?;
    filter.newest_first = query.flag("newest_first")?;
    let after = query.text("after")?;
    let limit = query.number("limit", 1..=500)?.unwrap_or(LIMIT);
    let wait = query.number("wait", 0..=30)?.unwrap_or(0);
    query.end()?;
    if takes_a_stream(&headers) {
        if filter.newest_first {
            let message = "a stream can't be in reverse order; leave this out, or request JSON";
            return Err(Error::invalid_at("/newest_first", message).into());
        }
        return stream(
            environment,
            filter,
            after_last(&headers, after)?,
            stopping,
            &headers,
        )
        .await;
    }
    let read = |wait| {
        let wait = Duration::from_secs(u64::from(wait));
        environment.events(&filter, after.as_deref(), limit, wait)
    };
    let waited = {
        let waiting = std::pin::pin!(read(wait));
        match select(waiting, std::pin::pin!(stopping.stopped())).await {
            Either::Left((page, _)) => Some(page?),
            Either::Right(_) => None,
        }
    };
    let page = match waited {
        Some(page) => page,
        None => read(0).await?,
    };
    if wait > 0 {
        // The token may have been revoked in the meantime.
        check_token(&environment, &token(&headers)).await?;
    }
    Ok(Json(page).into_response())
}

fn takes_a_stream(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(header::ACCEPT).iter();
    accepts
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|kind| {
            let essence = kind.split(';').next().unwrap_or_default().trim();
            essence.eq_ignore_ascii_case("text/event-stream")
        })
}

/// A client that reconnects sends its last position, which overrides the start in its query.
fn after_last(headers: &HeaderMap, after: Option<String>) -> Result<Option<String>, Error> {
    let Some(last) = headers.get("last-event-id") else {
        return Ok(after);
    };
    let last = last.to_str().map_err(|_| {
        Error::invalid_at(
            "/Last-Event-ID",
            "expected the id of an event of this stream",
        )
    })?;
    Ok(Some(last.to_owned())
        .filter(|last| !last.is_empty())
        .or(after))
}
