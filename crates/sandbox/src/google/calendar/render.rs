//! Events as the API shows them.

use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    times::{Edge, format_in_zone, zone_named},
    written,
};
use crate::{
    google::{
        Call,
        world::calendars::{Calendar, Event},
    },
    ids::hex,
};

/// How events are looked at.
#[derive(Debug)]
pub(super) struct View<'a> {
    /// The calendar that shows them.
    pub(super) calendar: &'a Calendar,
    /// The zone in which times are written.
    pub(super) zone: TimeZone,
    /// Guests at most.
    pub(super) guests: Option<usize>,
}

impl<'a> View<'a> {
    /// The view of a call, in the calendar's own zone.
    pub(super) fn of(call: &Call, calendar: &'a Calendar) -> Self {
        Self {
            calendar,
            zone: zone_named(calendar.time_zone).unwrap_or(TimeZone::UTC),
            guests: call
                .number("maxAttendees")
                .and_then(|max| usize::try_from(max).ok()),
        }
    }

    /// The event.
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

    /// The event in a list: of a deleted occurrence there is only what identifies it (`Event.status`).
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

    /// With `self` where it is the one whose calendar this is.
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
        // Of too many guests only the one who looks is shown (events.get, `maxAttendees`).
        if self.guests.is_some_and(|max| guests.len() > max) {
            guests.retain(|guest| guest["self"] == true);
            rendered.insert("attendeesOmitted".to_owned(), json!(true));
        }
    }
}

/// The etag of an event.
pub(super) fn etag(event: &Event) -> String {
    format!("\"{}\"", event.version)
}

/// The etag of a list, which changes with its items.
pub(super) fn list_etag(items: &[Value]) -> String {
    let digest = Sha256::digest(Value::from(items).to_string());
    format!("\"p{}\"", hex(&digest[..8]))
}

/// A moment with milliseconds, as `created` and `updated` have them.
pub(super) fn timestamp(instant: Timestamp) -> String {
    instant.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}
