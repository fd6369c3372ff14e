//! The history of an account: its events and calls together, newest first.

use jiff::Timestamp;
use serde::Serialize;
use stead::Error;
use stead_core::{
    api::Paging,
    environment::Environment,
    resource::{
        Account, Event, EventFilter, EventType, ExecutionFilter, ExecutionRecord, ListExecutions,
    },
};
use url::form_urlencoded;

use crate::{dashboard::words, extract::Query};

/// Lines of a page.
const LINES: usize = 30;

/// The start of a page of the timeline: after an event and after a call, with the page tokens of their lists.
#[derive(Debug, Default)]
pub(super) struct Place {
    events: Option<String>,
    calls: Option<String>,
    before: Option<Timestamp>,
}

impl Place {
    pub(super) fn read(query: &mut Query) -> Result<Self, Error> {
        Ok(Self {
            events: query.text("events")?,
            calls: query.text("calls")?,
            before: query.time("before")?,
        })
    }

    pub(super) fn is_first(&self) -> bool {
        self.events.is_none() && self.calls.is_none() && self.before.is_none()
    }

    /// The same as a query.
    fn query(&self) -> String {
        let before = self.before.map(|before| before.to_string());
        let parts = [
            ("events", self.events.as_deref()),
            ("calls", self.calls.as_deref()),
            ("before", before.as_deref()),
        ];
        let given = parts
            .into_iter()
            .filter_map(|(name, part)| Some((name, part?)));
        form_urlencoded::Serializer::new(String::new())
            .extend_pairs(given)
            .finish()
    }
}

/// A part of the timeline.
#[derive(Debug, Serialize)]
pub(super) struct Timeline {
    lines: Vec<Line>,
    /// The query of the page with older lines.
    older: Option<String>,
    /// The time of the last successful refresh, if these lines include it.
    pub(super) refreshed_at: Option<String>,
}

#[derive(Debug, Serialize)]
struct Line {
    #[serde(skip)]
    moment: Timestamp,
    at: String,
    is_call: bool,
    title: String,
    /// Explains the title in more detail.
    hint: String,
    about: String,
    tone: &'static str,
    /// The page of a call.
    execution_id: Option<String>,
    micros: u64,
    #[serde(skip)]
    cursor: String,
}

pub(super) async fn timeline(
    environment: &Environment,
    account: &Account,
    place: &Place,
) -> Result<Timeline, Error> {
    let (name, user) = (&account.connection_name, &account.identifier);
    let mut of_events = EventFilter::default();
    of_events.connection_name = Some(name.to_string());
    of_events.identifier = Some(user.to_string());
    of_events.newest_first = true;
    let wait = std::time::Duration::ZERO;
    let most = LINES as u32;
    let events = environment.events(&of_events, place.events.as_deref(), most, wait);
    let events = events.await?;
    let mut of_calls = ExecutionFilter::default();
    of_calls.connection_name = Some(name.to_string());
    of_calls.identifier = Some(user.to_string());
    of_calls.before = place.before;
    let calls = environment
        .send(
            ListExecutions::new()
                .filter(of_calls.clone())
                .page(Paging::new(place.calls.as_deref(), most)),
        )
        .await?;
    let refreshed = ["account.refreshed", "account.recovered"];
    let refreshed = events
        .items
        .iter()
        .find(|event| refreshed.contains(&event.event_type.as_str()));
    let refreshed_at = refreshed.map(|event| event.timestamp.to_string());
    let (event_count, call_count) = (events.items.len(), calls.items.len());
    let mut lines: Vec<Line> = events.items.into_iter().map(of_event).collect();
    lines.extend(calls.items.into_iter().map(of_call));
    // Each list is already sorted, and a stable sort keeps the order of equal times.
    lines.sort_by_key(|line| std::cmp::Reverse(line.moment));
    lines.truncate(LINES);
    let shown_calls = lines.iter().filter(|line| line.is_call).count();
    let shown_events = lines.len() - shown_calls;
    let more = shown_events < event_count
        || shown_calls < call_count
        || events.more
        || calls.next_page_token.is_some();
    let last = |is_call: bool| lines.iter().rfind(|line| line.is_call == is_call);
    let older = Place {
        events: match (shown_events == event_count, last(false)) {
            (true, _) => Some(events.cursor),
            (false, Some(line)) => Some(line.cursor.clone()),
            (false, None) => place.events.clone(),
        },
        calls: match shown_calls == call_count {
            true => calls.next_page_token,
            false if shown_calls == 0 => place.calls.clone(),
            false => None,
        },
        before: match last(true) {
            Some(line) => Some(line.moment),
            None => place.before,
        },
    };
    Ok(Timeline {
        older: more.then(|| older.query()),
        refreshed_at,
        lines,
    })
}

fn of_event(event: Event) -> Line {
    let about = ["reason", "outcome"]
        .iter()
        .find_map(|name| event.text(name));
    let known = EventType::of(&event.event_type);
    let name = event.event_type.as_str();
    let is_bad = ["failed", "denied", "needs_reauthorization", "degraded"];
    let is_good = ["activated", "reauthorized", "recovered", "completed"];
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    Line {
        moment: event.timestamp,
        at: event.timestamp.to_string(),
        is_call: false,
        title: words::event(name),
        hint: known.map_or_else(String::new, |known| known.when.to_owned()),
        about: about.map_or_else(String::new, |about| about.replace('_', " ")),
        tone: match (has(&is_bad), has(&is_good)) {
            (true, _) => "bad",
            (false, true) => "ok",
            (false, false) => "quiet",
        },
        execution_id: None,
        micros: 0,
        cursor: event.cursor,
    }
}

fn of_call(call: ExecutionRecord) -> Line {
    let is_ok = call.outcome == "ok";
    Line {
        moment: call.started_at,
        at: call.started_at.to_string(),
        is_call: true,
        hint: words::outcome(&call.outcome).to_owned(),
        tone: if is_ok { "quiet" } else { "bad" },
        execution_id: Some(call.execution_id.to_string()),
        title: words::call(&call),
        about: if is_ok { String::new() } else { call.outcome },
        micros: call.duration_micros,
        cursor: String::new(),
    }
}
