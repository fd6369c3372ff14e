//! `events.list`: the events of a calendar, filtered, ordered, in pages, or those that changed since a sync
//! token.

use axum::http::Method;
use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Value, json};

use super::{
    calendar_at, find_calendar, occurrences,
    render::{View, list_etag, timestamp},
    scope, sync,
    times::{self, Edge, check_time_range, time_parameter, zone_parameter},
    visible_events,
};
use crate::google::{
    ApiError, ApiMethod, Call, Kind, Parameter, State, paging,
    world::calendars::{Calendars, Event},
};

/// Events of a page when nothing is said.
const DEFAULT_RESULTS: i64 = 250;
/// Events of a page at most; a larger number is treated as this one.
const MAX_RESULTS: i64 = 2500;

const TYPES: &[&str] = &[
    "birthday",
    "default",
    "focusTime",
    "fromGmail",
    "outOfOffice",
    "workingLocation",
];

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "calendar.events.list",
    verb: Method::GET,
    path: "calendar/v3/calendars/{calendarId}/events",
    parameters: &[
        Parameter::one("alwaysIncludeEmail", Kind::Flag),
        Parameter::many("eventTypes", Kind::OneOf(TYPES)),
        Parameter::one("iCalUID", Kind::Text),
        Parameter::one("maxAttendees", Kind::Uint32),
        Parameter::one("maxResults", Kind::Uint32),
        Parameter::one("orderBy", Kind::OneOf(&["startTime", "updated"])),
        Parameter::one("pageToken", Kind::Text),
        Parameter::one("q", Kind::Text),
        Parameter::one("showDeleted", Kind::Flag),
        Parameter::one("showHiddenInvitations", Kind::Flag),
        Parameter::one("singleEvents", Kind::Flag),
        Parameter::one("syncToken", Kind::Text),
        Parameter::one("timeMax", Kind::Text),
        Parameter::one("timeMin", Kind::Text),
        Parameter::one("timeZone", Kind::Text),
        Parameter::one("updatedMin", Kind::Text),
    ],
    scopes: scope::READ,
    schema: "Events",
    run,
};

/// Parameters that do not go with a sync token (events.list, `syncToken`).
const NOT_WITH_SYNC: [&str; 6] = [
    "iCalUID",
    "orderBy",
    "q",
    "timeMin",
    "timeMax",
    "updatedMin",
];

/// What is listed.
struct Filter<'a> {
    single: bool,
    deleted: bool,
    types: Vec<&'a str>,
    uid: Option<&'a str>,
    words: Vec<String>,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    updated_since: Option<Timestamp>,
    zone: TimeZone,
}

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let index = find_calendar(state, call)?;
    let now = state.now;
    let calendar = calendar_at(&state.world.calendars, index);
    let listed = format!("{} {}", METHOD.id, calendar.id);
    let since = sync::synced_at(call, &listed, now)?;
    if since.is_some() && NOT_WITH_SYNC.iter().any(|name| call.text(name).is_some()) {
        let message = "Sync token cannot be used with any list restriction.";
        return Err(ApiError::of(400, "badRequest", message));
    }
    let by_start = call.text("orderBy") == Some("startTime");
    if by_start && !call.flag("singleEvents") {
        let message = "The requested ordering is not available for the particular query.";
        return Err(ApiError::of(400, "badRequest", message));
    }
    let updated_min = time_parameter(call, "updatedMin")?;
    if updated_min.is_some_and(|min| sync::is_too_old(min, now)) {
        let message = "The requested minimum modification time lies too far in the past.";
        return Err(ApiError::of(410, "updatedMinTooLongAgo", message));
    }
    let wanted = Filter {
        single: call.flag("singleEvents"),
        deleted: call.flag("showDeleted") || since.is_some() || updated_min.is_some(),
        types: call.query.all("eventTypes").collect(),
        uid: call.text("iCalUID"),
        words: call
            .text("q")
            .unwrap_or_default()
            .to_lowercase()
            .split_whitespace()
            .map(str::to_owned)
            .collect(),
        from: time_parameter(call, "timeMin")?,
        to: time_parameter(call, "timeMax")?,
        updated_since: since.or(updated_min),
        zone: times::zone_named(calendar.time_zone).unwrap_or(TimeZone::UTC),
    };
    check_time_range(wanted.from, wanted.to)?;
    let mut events = wanted.events(&state.world.calendars, index);
    match call.text("orderBy") {
        Some("startTime") => events.sort_by_key(|event| start(event, &wanted.zone)),
        Some(_) => events.sort_by_key(|event| event.updated),
        None => {}
    }

    let size = call.number("maxResults").unwrap_or(DEFAULT_RESULTS);
    if size < 1 {
        return Err(ApiError::of(
            400,
            "invalidParameter",
            format!("Invalid value '{size}'. Values must be within the range: [1, 2500]"),
        ));
    }
    let size = usize::try_from(size.min(MAX_RESULTS)).unwrap_or_default();
    let page = paging::page(call, METHOD.id, events, size, &[])?;
    let mut view = View::of(call, calendar);
    view.zone = zone_parameter(call, calendar.time_zone)?;
    let items: Vec<Value> = page
        .items
        .iter()
        .map(|event| view.list_entry(event))
        .collect();
    let mut response = json!({
        "kind": "calendar#events",
        "etag": list_etag(&items),
        "summary": calendar.summary,
        "description": calendar.description.unwrap_or_default(),
        "updated": timestamp(calendar.events.iter().map(|event| event.updated).max().unwrap_or(now)),
        "timeZone": view.zone.iana_name().unwrap_or(calendar.time_zone),
        "accessRole": calendar.role(&call.user).map(|role| role.name()),
        "defaultReminders": [],
        "items": items,
    });
    match page.next {
        Some(next) => response["nextPageToken"] = json!(next),
        None => response["nextSyncToken"] = json!(sync::sync_token(call, &listed, now)),
    }
    Ok(response)
}

impl Filter<'_> {
    fn events(&self, calendars: &Calendars, index: usize) -> Vec<Event> {
        let mut events = Vec::new();
        for (home, event) in visible_events(calendars, index) {
            let home = calendar_at(calendars, home);
            let is_occurrence = !event.text("recurringEventId").is_empty();
            if self.single && is_occurrence {
                // It comes with its series.
                continue;
            }
            if event.is_series() && self.single {
                if !event.is_cancelled() || self.deleted {
                    events.extend(occurrences::in_time_range(home, event, self.from, self.to));
                }
            } else if event.is_series() {
                // A series is within the bounds if one of its occurrences does.
                if !occurrences::in_time_range(home, event, self.from, self.to).is_empty() {
                    events.push(event.clone());
                }
            } else if occurrences::is_in_time_range(event, &self.zone, self.from, self.to) {
                events.push(event.clone());
            }
        }
        // Deleted occurrences are listed next to their series, so that a reader can leave them out
        // (`showDeleted`).
        events.retain(|event| {
            let of_series = !self.single && !event.text("recurringEventId").is_empty();
            (self.deleted || !event.is_cancelled() || of_series) && self.matches(event)
        });
        events
    }

    fn matches(&self, event: &Event) -> bool {
        let kind = event
            .fields
            .get("eventType")
            .and_then(Value::as_str)
            .unwrap_or("default");
        (self.types.is_empty() || self.types.contains(&kind))
            && self.uid.is_none_or(|uid| event.text("iCalUID") == uid)
            && self
                .updated_since
                .is_none_or(|since| event.updated >= since)
            && self.contains_words(event)
    }

    /// Words in the texts and in the people (events.list, `q`).
    fn contains_words(&self, event: &Event) -> bool {
        let mut text = String::new();
        let mut add = |one: Option<&Value>| {
            text.push_str(
                &one.and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_lowercase(),
            );
            text.push(' ');
        };
        for name in ["summary", "description", "location"] {
            add(event.fields.get(name));
        }
        for person in event.guests().chain(event.fields.get("organizer")) {
            add(person.get("displayName"));
            add(person.get("email"));
        }
        self.words.iter().all(|word| text.contains(word.as_str()))
    }
}

fn start(event: &Event, zone: &TimeZone) -> Option<Timestamp> {
    Edge::of(event.fields.get("start")).map(|start| start.instant(zone))
}
