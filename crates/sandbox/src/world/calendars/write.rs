//! Short functions to write events with.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::Event;
use crate::ids::hex;

/// An event while it is written.
#[derive(Debug)]
pub(super) struct Writing {
    fields: Map<String, Value>,
    updated: Timestamp,
}

/// Begins an event that `key` names within the seed; its id is derived from it.
pub(super) fn event(key: &str, organizer: &str, summary: &str, updated: &str) -> Writing {
    let id = hex(&Sha256::digest(key.as_bytes())[..13]);
    let mut writing = Writing {
        fields: Map::new(),
        updated: updated.parse().unwrap_or(Timestamp::UNIX_EPOCH),
    };
    writing.set("iCalUID", json!(format!("{id}@google.com")));
    writing.set("id", json!(id));
    writing.set("status", json!("confirmed"));
    writing.set("summary", json!(summary));
    writing.set("creator", json!({ "email": organizer }));
    writing.set("organizer", json!({ "email": organizer }));
    writing
}

impl Writing {
    /// From one time to another, in a zone.
    pub(super) fn at(mut self, start: &str, end: &str, zone: &str) -> Self {
        self.set("start", json!({ "dateTime": start, "timeZone": zone }));
        self.set("end", json!({ "dateTime": end, "timeZone": zone }));
        self
    }

    /// All day, up to the day before `end`.
    pub(super) fn on(mut self, start: &str, end: &str) -> Self {
        self.set("start", json!({ "date": start }));
        self.set("end", json!({ "date": end }));
        self
    }

    /// Lines of a recurrence.
    pub(super) fn again(self, lines: &[&str]) -> Self {
        self.with("recurrence", json!(lines))
    }

    /// Guests with their names and response statuses.
    pub(super) fn guests(self, guests: &[(&str, &str, &str)]) -> Self {
        let guest = |(email, name, response): &(&str, &str, &str)| json!({ "email": email, "displayName": name, "responseStatus": response });
        let guests: Vec<Value> = guests.iter().map(guest).collect();
        self.with("attendees", json!(guests))
    }

    /// One occurrence of a series that differs from it.
    pub(super) fn instead_of(mut self, series: &Event, start: &str, zone: &str) -> Self {
        let instant: Timestamp = start.parse().unwrap_or(Timestamp::UNIX_EPOCH);
        let id = format!("{}_{}", series.id(), instant.strftime("%Y%m%dT%H%M%SZ"));
        self.set("id", json!(id));
        self.set("iCalUID", json!(series.text("iCalUID")));
        self.set("recurringEventId", json!(series.id()));
        self.with(
            "originalStartTime",
            json!({ "dateTime": start, "timeZone": zone }),
        )
    }

    /// One more member.
    pub(super) fn with(mut self, name: &str, value: Value) -> Self {
        self.set(name, value);
        self
    }

    /// Ends it.
    pub(super) fn done(self) -> Event {
        Event {
            fields: self.fields,
            version: u64::try_from(self.updated.as_second()).unwrap_or_default(),
            created: self.updated,
            updated: self.updated,
            meeting_pending_reads: 0,
            hidden_from: BTreeSet::new(),
        }
    }

    fn set(&mut self, name: &str, value: Value) {
        self.fields.insert(name.to_owned(), value);
    }
}
