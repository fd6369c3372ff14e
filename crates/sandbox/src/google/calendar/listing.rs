//! Shows events, lists them in pages, and issues sync tokens.

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    calendar_at, find, find_event, occurrences,
    times::{Edge, check_time_range, format_in_zone, time_parameter, zone_named, zone_parameter},
    visible_events, written,
};
use crate::{
    google::{
        ApiError, Call, State, collection,
        world::calendars::{Calendar, Calendars, Event},
    },
    shared::{self, hex},
};

/// The sandbox remembers changes for this many hours. Google only says that a token expires, and that `updatedMin`
/// reaches back about thirty days.
const HOURS: i64 = 30 * 24;

/// Parameters that can't be combined with a sync token (events.list, `syncToken`).
const NOT_WITH_SYNC: [&str; 6] = [
    "iCalUID",
    "orderBy",
    "q",
    "timeMin",
    "timeMax",
    "updatedMin",
];

/// The events to list.
struct Filter<'a> {
    single: bool,
    deleted: bool,
    types: Vec<&'a str>,
    uid: Option<&'a str>,
    words: Vec<String>,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
    updated_since: Option<Timestamp>,
    /// Only changes after this one.
    changed_since: Option<u64>,
    zone: TimeZone,
}

/// `events.list`: filters and sorts events in pages, or lists those that changed since a sync token.
pub(super) fn list(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let index = find(state, call)?;
    let now = state.now;
    let calendars = &state.world.calendars;
    let calendar = calendar_at(calendars, index);
    let listed = format!("{} {}", call.method.id, calendar.id);
    let since = synced_count(call, &listed, now)?;
    if since.is_some() && NOT_WITH_SYNC.iter().any(|name| call.text(name).is_some()) {
        return Err(restricted());
    }
    let by_start = call.text("orderBy") == Some("startTime");
    if by_start && !call.flag("singleEvents") {
        let message = "The requested ordering is not available for the particular query.";
        return Err(ApiError::of(400, "badRequest", message));
    }
    let updated_min = time_parameter(call, "updatedMin")?;
    if updated_min.is_some_and(|min| is_too_old(min, now)) {
        let message = "The requested minimum modification time lies too far in the past.";
        return Err(ApiError::of(410, "updatedMinTooLongAgo", message));
    }
    let words = call.text("q").unwrap_or_default().to_lowercase();
    let wanted = Filter {
        single: call.flag("singleEvents"),
        deleted: call.flag("showDeleted") || since.is_some() || updated_min.is_some(),
        types: call.query.all("eventTypes").collect(),
        uid: call.text("iCalUID"),
        words: words.split_whitespace().map(str::to_owned).collect(),
        from: time_parameter(call, "timeMin")?,
        to: time_parameter(call, "timeMax")?,
        updated_since: updated_min,
        changed_since: since,
        zone: zone_named(calendar.time_zone).unwrap_or(TimeZone::UTC),
    };
    check_time_range(wanted.from, wanted.to)?;
    let mut events = wanted.events(calendars, index);
    match call.text("orderBy") {
        Some("startTime") => events.sort_by_key(|event| start(event, &wanted.zone)),
        Some(_) => events.sort_by_key(|event| event.updated),
        None => {}
    }
    let updated = calendar.events.iter().map(|event| event.updated).max();
    let mut response = page(call, calendar, events)?;
    response["description"] = json!(calendar.description.unwrap_or_default());
    response["updated"] = json!(timestamp(updated.unwrap_or(now)));
    if response.get("nextPageToken").is_none() {
        response["nextSyncToken"] = json!(sync_token(call, &listed, now, calendars.changes));
    }
    Ok(response)
}

/// `events.instances`: the occurrences of a series.
pub(super) fn instances(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let index = find(state, call)?;
    let calendars = &state.world.calendars;
    let (home, series) = find_event(calendars, index, call.variable(1))?;
    let (from, to) = (
        time_parameter(call, "timeMin")?,
        time_parameter(call, "timeMax")?,
    );
    check_time_range(from, to)?;
    let mut events = if series.is_series() {
        occurrences::in_time_range(calendar_at(calendars, home), &series, from, to)
    } else {
        Vec::new()
    };
    events.retain(|event| call.flag("showDeleted") || !event.is_cancelled());
    if let Some(start) = time_parameter(call, "originalStart")? {
        let suffix = start.strftime("_%Y%m%dT%H%M%SZ").to_string();
        events.retain(|event| event.id().ends_with(&suffix));
    }
    page(call, calendar_at(calendars, index), events)
}

/// A page of events as `Events`.
fn page(call: &Call, calendar: &Calendar, events: Vec<Event>) -> Result<Value, ApiError> {
    let size = collection::size(call, "maxResults", 250, 2500)?;
    let page = collection::page(call, events, size, &[])?;
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
        "timeZone": view.zone.iana_name().unwrap_or(calendar.time_zone),
        "accessRole": calendar.role(&call.user).map(|role| role.name()),
        "defaultReminders": [],
        "items": items,
    });
    if let Some(next) = page.next {
        response["nextPageToken"] = json!(next);
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
                // It's listed with its series.
                continue;
            }
            if event.is_series() && self.single {
                if !event.is_cancelled() || self.deleted {
                    events.extend(occurrences::in_time_range(home, event, self.from, self.to));
                }
            } else if event.is_series() {
                // A series fits if one of its occurrences does.
                if !occurrences::in_time_range(home, event, self.from, self.to).is_empty() {
                    events.push(event.clone());
                }
            } else if occurrences::is_in_time_range(event, &self.zone, self.from, self.to) {
                events.push(event.clone());
            }
        }
        // Deleted occurrences are listed with their series, so that a reader can skip them (`showDeleted`).
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
            && self.changed_since.is_none_or(|since| event.change > since)
            && self.contains_words(event)
    }

    /// Whether the words are in the event's texts or people (events.list, `q`).
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

/// A sync token of the current time for this user and list. It holds the number of changes so far, so that the next
/// list has only later changes.
pub(super) fn sync_token(call: &Call, listed: &str, now: Timestamp, changes: u64) -> String {
    let text = format!("{changes}|{}|{}|{listed}", now.as_second(), call.user);
    shared::seal("calendar sync", &text)
}

/// The number of changes in the call's sync token. `None` if the call has no token.
pub(super) fn synced_count(
    call: &Call,
    listed: &str,
    now: Timestamp,
) -> Result<Option<u64>, ApiError> {
    let Some(token) = call.text("syncToken") else {
        return Ok(None);
    };
    let read = || {
        let text = shared::open("calendar sync", token)?;
        let (changes, rest) = text.split_once('|')?;
        let (second, bound) = rest.split_once('|')?;
        let is_own = bound == format!("{}|{listed}", call.user);
        let at = Timestamp::from_second(second.parse().ok()?).ok()?;
        is_own.then_some((changes.parse().ok()?, at))
    };
    let invalid = || ApiError::of(400, "invalid", "Invalid sync token value.");
    let (changes, at) = read().ok_or_else(invalid)?;
    if is_too_old(at, now) {
        let message = "Sync token is no longer valid, a full sync is required.";
        return Err(ApiError::of(410, "fullSyncRequired", message));
    }
    Ok(Some(changes))
}

/// The error for a sync token with a parameter that restricts the list.
pub(super) fn restricted() -> ApiError {
    let message = "Sync token cannot be used with any list restriction.";
    ApiError::of(400, "badRequest", message)
}

/// Whether a time is so long ago that Google has forgotten what changed since.
fn is_too_old(since: Timestamp, now: Timestamp) -> bool {
    now.duration_since(since) > SignedDuration::from_hours(HOURS)
}

/// How to show events.
#[derive(Debug)]
pub(super) struct View<'a> {
    /// The calendar in which they're shown.
    pub(super) calendar: &'a Calendar,
    /// The time zone of the shown times.
    pub(super) zone: TimeZone,
    /// The largest number of guests to show.
    pub(super) guests: Option<usize>,
}

impl<'a> View<'a> {
    /// The view that a call asks for, in the calendar's own zone.
    pub(super) fn of(call: &Call, calendar: &'a Calendar) -> Self {
        Self {
            calendar,
            zone: zone_named(calendar.time_zone).unwrap_or(TimeZone::UTC),
            guests: call
                .number("maxAttendees")
                .and_then(|max| usize::try_from(max).ok()),
        }
    }

    /// Shows an event.
    pub(super) fn event(&self, event: &Event) -> Value {
        let mut rendered = event.fields.clone();
        let mut set = |name: &str, value: Value| drop(rendered.insert(name.to_owned(), value));
        set("kind", json!("calendar#event"));
        set("etag", json!(etag(event)));
        let link = format!(
            "https://www.google.com/calendar/event?eid={}",
            hex(event.id().as_bytes())
        );
        set("htmlLink", json!(link));
        set("created", json!(timestamp(event.created)));
        set("updated", json!(timestamp(event.updated)));
        set("sequence", json!(0));
        set("reminders", json!({ "useDefault": true }));
        for name in ["start", "end", "originalStartTime"] {
            if let Some(edge) = event.fields.get(name) {
                set(name, self.edge(edge));
            }
        }
        for name in ["creator", "organizer"] {
            if let Some(person) = event.fields.get(name) {
                set(name, self.person(person));
            }
        }
        rendered.entry("eventType").or_insert(json!("default"));
        self.limit_guests(&mut rendered);
        if event.meeting_pending_reads > 0 {
            written::show_as_pending(&mut rendered);
        }
        Value::Object(rendered)
    }

    /// Shows an event in a list. A deleted occurrence has only the members that identify it (`Event.status`).
    pub(super) fn list_entry(&self, event: &Event) -> Value {
        let all = self.event(event);
        if !event.is_cancelled() || event.text("recurringEventId").is_empty() {
            return all;
        }
        let mut rendered = Map::new();
        for name in [
            "kind",
            "etag",
            "id",
            "status",
            "recurringEventId",
            "originalStartTime",
        ] {
            rendered.insert(name.to_owned(), all[name].clone());
        }
        Value::Object(rendered)
    }

    fn edge(&self, edge: &Value) -> Value {
        let mut rendered = edge.clone();
        if let Some(Edge::Time(instant)) = Edge::of(Some(edge)) {
            rendered["dateTime"] = json!(format_in_zone(instant, &self.zone));
        }
        rendered
    }

    /// Shows a person, with `self` if it's the owner of this calendar.
    fn person(&self, person: &Value) -> Value {
        let mut rendered = person.clone();
        if person["email"] == self.calendar.id.as_str() {
            rendered["self"] = json!(true);
        }
        rendered
    }

    fn limit_guests(&self, rendered: &mut Map<String, Value>) {
        let Some(Value::Array(guests)) = rendered.get_mut("attendees") else {
            return;
        };
        for guest in guests.iter_mut() {
            *guest = self.person(guest);
        }
        // If there are too many guests, show only the calendar's owner (events.get, `maxAttendees`).
        if self.guests.is_some_and(|max| guests.len() > max) {
            guests.retain(|guest| guest["self"] == true);
            rendered.insert("attendeesOmitted".to_owned(), json!(true));
        }
    }
}

pub(super) fn etag(event: &Event) -> String {
    format!("\"{}\"", event.version)
}

/// The etag of a list. It changes with the items.
pub(super) fn list_etag(items: &[Value]) -> String {
    let digest = Sha256::digest(Value::from(items).to_string());
    format!("\"p{}\"", hex(&digest[..8]))
}

/// A time with milliseconds, as in `created` and `updated`.
pub(super) fn timestamp(instant: Timestamp) -> String {
    instant.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}
