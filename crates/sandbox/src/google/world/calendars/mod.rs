//! Calendars and their events. Users share them, so they're stored next to the users.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::users::parse_seed;

#[derive(Debug, Clone)]
pub(crate) struct Calendars {
    pub(crate) all: Vec<Calendar>,
    /// Mails to guests, oldest first.
    pub(crate) notices: Vec<Notice>,
    /// The number of changes so far.
    pub(crate) changes: u64,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Calendar {
    pub(crate) id: String,
    pub(crate) summary: &'static str,
    #[serde(borrow, default)]
    pub(crate) description: Option<&'static str>,
    /// The IANA name.
    pub(crate) time_zone: &'static str,
    /// The user for whom it's the primary calendar.
    #[serde(borrow, default)]
    pub(crate) primary_of: Option<&'static str>,
    /// Whether events in it can have video meetings.
    #[serde(default)]
    pub(crate) takes_meetings: bool,
    /// The users who have it in their list.
    pub(crate) listings: Vec<Listing>,
    /// The events in the order in which they were created.
    #[serde(default)]
    pub(crate) events: Vec<Event>,
}

/// A calendar in a user's list.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Listing {
    pub(crate) user: &'static str,
    pub(crate) role: Role,
    #[serde(default)]
    pub(crate) hidden: bool,
    /// Whether the user has removed it.
    #[serde(default)]
    pub(crate) removed: bool,
}

/// A user's role in a calendar. Each role includes the previous ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    Reader,
    Writer,
    Owner,
}

impl Role {
    /// The name in the API.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Owner => "owner",
        }
    }
}

/// An event, or an occurrence that differs from its series.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "SeedEvent")]
pub(crate) struct Event {
    /// Google's members as they were written, without those that depend on the viewer.
    pub(crate) fields: Map<String, Value>,
    /// The number of changes of this event. It determines the etag.
    pub(crate) version: u64,
    /// The number of its last change. 0 if it hasn't changed since the start.
    pub(crate) change: u64,
    pub(crate) created: Timestamp,
    pub(crate) updated: Timestamp,
    /// How many more reads show the meeting as pending.
    pub(crate) meeting_pending_reads: u8,
    /// Guests who have deleted it from their own calendar.
    pub(crate) hidden_from: BTreeSet<String>,
}

/// A seeded event.
#[derive(Deserialize)]
struct SeedEvent {
    updated: Timestamp,
    #[serde(flatten)]
    fields: Map<String, Value>,
}

/// A mail to a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) event_id: String,
    pub(crate) to: String,
    /// `invitation`, `change` or `cancellation`.
    pub(crate) about: &'static str,
}

impl From<SeedEvent> for Event {
    fn from(event: SeedEvent) -> Self {
        Self::new(event.fields, event.updated)
    }
}

impl Calendars {
    /// The initial calendars.
    pub(crate) fn seeded() -> Self {
        Self {
            all: parse_seed(include_str!("../calendars.json")),
            notices: Vec::new(),
            changes: 0,
        }
    }

    /// Finds a calendar by ID. `primary` is the user's own.
    pub(crate) fn index_of(&self, id: &str, user: &str) -> Option<usize> {
        self.all.iter().position(|calendar| match id {
            "primary" => calendar.primary_of == Some(user),
            id => calendar.id == id,
        })
    }

    /// Stores an event in a calendar. It replaces the event with the same ID, or is new.
    pub(crate) fn put(&mut self, index: usize, mut event: Event) {
        self.changes += 1;
        event.change = self.changes;
        let events = &mut self.all[index].events;
        match events.iter_mut().find(|known| known.id() == event.id()) {
            Some(known) => *known = event,
            None => events.push(event),
        }
    }

    /// Notifies all guests except the user who made the change.
    pub(crate) fn notify(&mut self, event: &Event, about: &'static str, actor: &str) {
        let id = event.id().to_owned();
        let guests = event.guests().filter_map(|guest| guest["email"].as_str());
        let notices = guests
            .filter(|email| !email.eq_ignore_ascii_case(actor))
            .map(|email| Notice {
                event_id: id.clone(),
                to: email.to_owned(),
                about,
            });
        self.notices.extend(notices);
    }
}

impl Calendar {
    /// The user's role. `None` if the calendar isn't in the user's list.
    pub(crate) fn role(&self, user: &str) -> Option<Role> {
        self.listing(user).map(|listing| listing.role)
    }

    /// Its entry in a user's list.
    pub(crate) fn listing(&self, user: &str) -> Option<&Listing> {
        self.listings.iter().find(|listing| listing.user == user)
    }

    pub(crate) fn event(&self, id: &str) -> Option<&Event> {
        self.events.iter().find(|event| event.id() == id)
    }
}

impl Event {
    /// Creates an event at this time.
    pub(crate) fn new(fields: Map<String, Value>, now: Timestamp) -> Self {
        Self {
            fields,
            version: u64::try_from(now.as_second()).unwrap_or_default(),
            change: 0,
            created: now,
            updated: now,
            meeting_pending_reads: 0,
            hidden_from: BTreeSet::new(),
        }
    }

    pub(crate) fn id(&self) -> &str {
        self.text("id")
    }

    /// A text member. Empty if it's absent, or isn't a text.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.fields
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// A list. Empty if it's absent.
    pub(crate) fn list(&self, name: &str) -> &[Value] {
        self.fields
            .get(name)
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    pub(crate) fn guests(&self) -> impl Iterator<Item = &Value> {
        self.list("attendees").iter()
    }

    /// Whether a user is a guest and hasn't deleted the event.
    pub(crate) fn is_guest(&self, user: &str) -> bool {
        let is_user = |guest: &Value| {
            guest["email"]
                .as_str()
                .is_some_and(|email| email.eq_ignore_ascii_case(user))
        };
        self.guests().any(is_user) && !self.hidden_from.contains(user)
    }

    /// Whether it was deleted.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.text("status") == "cancelled"
    }

    /// Whether it recurs.
    pub(crate) fn is_series(&self) -> bool {
        !self.list("recurrence").is_empty()
    }

    /// Records a change at this time.
    pub(crate) fn touch(&mut self, now: Timestamp) {
        self.version += 1;
        self.updated = now;
    }
}

/// The calendars in a user's list, with their events.
pub(crate) fn calendars(calendars: &Calendars, user: &str) -> Value {
    let listed = calendars.all.iter().filter_map(|calendar| {
        let listing = calendar.listing(user)?;
        let mut readable = self::calendar(calendars, calendar);
        readable["role"] = json!(listing.role.name());
        readable["hidden"] = json!(listing.hidden);
        readable["removed"] = json!(listing.removed);
        readable["primary"] = json!(calendar.primary_of == Some(user));
        Some(readable)
    });
    listed.collect()
}

/// The mails to guests.
pub(crate) fn notices(calendars: &Calendars) -> Value {
    let notice = |notice: &Notice| json!({ "event_id": notice.event_id, "to": notice.to, "about": notice.about });
    calendars.notices.iter().map(notice).collect()
}

fn calendar(calendars: &Calendars, calendar: &Calendar) -> Value {
    let own = calendar.events.iter();
    let invited = calendars
        .all
        .iter()
        .filter(|other| other.id != calendar.id && other.primary_of.is_some());
    let invited = invited.flat_map(|other| &other.events);
    let invited =
        invited.filter(|event| calendar.primary_of.is_some_and(|user| event.is_guest(user)));
    json!({
        "id": calendar.id,
        "summary": calendar.summary,
        "time_zone": calendar.time_zone,
        "events": own.chain(invited).map(event).collect::<Vec<_>>(),
    })
}

fn event(event: &Event) -> Value {
    json!({
        "id": event.id(),
        "status": event.text("status"),
        "summary": event.text("summary"),
        "description": event.fields.get("description"),
        "location": event.fields.get("location"),
        "start": event.fields.get("start"),
        "end": event.fields.get("end"),
        "recurrence": event.list("recurrence"),
        "series": event.fields.get("recurringEventId"),
        "guests": event.list("attendees"),
        "hangout_link": event.fields.get("hangoutLink"),
        "updated": event.updated.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_every_user_has_a_primary_calendar() {
        let calendars = Calendars::seeded();
        let ids: BTreeSet<&str> = calendars
            .all
            .iter()
            .map(|calendar| calendar.id.as_str())
            .collect();
        assert_eq!(ids.len(), calendars.all.len());
        for calendar in &calendars.all {
            let ids: BTreeSet<&str> = calendar.events.iter().map(Event::id).collect();
            assert_eq!(ids.len(), calendar.events.len(), "{}", calendar.id);
        }
        for user in ["ada@example.com", "grace@example.com"] {
            assert!(calendars.index_of("primary", user).is_some(), "{user}");
        }
    }
}
